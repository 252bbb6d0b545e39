//! `generate`: a prompt in one pass, then token by token over a cache of keys and values.
//!
//! Source: `generation/utils.py`, transformers 5.23, without a token that ends a sample.

use super::beams::BeamSearch;
use crate::nn::{Batch, Model, Request};
use crate::spec::Evaluation;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// Tokens among which `generate` draws (`top_k` of `GenerationConfig`).
const TOP_K: u64 = 50;

/// Tokens at the beginning that are decoded one by one. Those between them and the [`LAST`] only
/// lengthen the cache: each step needs as much as the one before and one token more (tested in
/// `evaluate.rs`).
pub(super) const STEPS: u64 = 128;

/// Tokens at the end that are decoded one by one.
const LAST: u64 = 16;

pub(super) fn flags(t: &Tape, op: &'static str, n: u64) -> Tensor {
    t.empty(op, Shape::from([n]), DType::Bool)
}

pub(super) fn numbers(t: &Tape, op: &'static str, shape: impl Into<Shape>) -> Tensor {
    t.empty(op, shape.into(), DType::Int64)
}

/// Compares all of the tokens and asks one question of the result.
fn ask(t: &Tape, comparison: &'static str, question: &'static str, n: u64) {
    let compared = flags(t, comparison, n);
    let answer = flags(t, question, 1);
    drop((compared, answer));
}

/// Token positions `[B, S]` that the mask gives.
fn positions(t: &Tape, b: u64, s: u64) -> Tensor {
    let sum = numbers(t, "cumsum", [b, s]);
    let shifted = numbers(t, "sub", [b, s]);
    drop(sum);
    let padding = flags(t, "eq", b * s);
    let filled = numbers(t, "masked_fill", [b, s]);
    drop((padding, shifted));
    filled
}

/// What the model is given besides token ids, growing with each token (`model_kwargs`), and what
/// it was given last (`model_inputs`).
struct Arguments {
    positions: Tensor,
    mask: Tensor,
    last: Option<[Tensor; 3]>,
}

impl Arguments {
    /// `_update_model_kwargs_for_generation`: so many tokens more.
    fn grow(&mut self, t: &Tape, tokens: u64) {
        let (b, s) = (self.positions.dim(0), self.positions.dim(1));
        let next = {
            let range = numbers(t, "arange", [1]);
            let _sum = numbers(t, "add", [b, 1]);
            drop(range);
            numbers(t, "add", [b, 1])
        };
        let positions = numbers(t, "cat", [b, s + tokens]);
        drop(next);
        let one = numbers(t, "new_ones", [b, 1]);
        self.mask = numbers(t, "cat", [b, s + tokens]);
        drop(one);
        self.positions = positions;
    }

    /// `prepare_inputs_for_generation` after the prompt: the newest token and its position.
    fn newest(&mut self, t: &Tape) -> (Tensor, Tensor) {
        let b = self.positions.dim(0);
        let newest = [numbers(t, "clone", [b, 1]), numbers(t, "clone", [b, 1])];
        let [ids, positions] = newest;
        self.last = Some([ids.clone(), positions.clone(), self.mask.clone()]);
        (ids, positions)
    }
}

/// How the next tokens are chosen.
enum Choice {
    Samples(Box<Sampler>),
    Beams(Box<BeamSearch>),
}

/// `_sample`: greedy search, or drawing by chance.
struct Sampler {
    /// All tokens so far `[B, S]`.
    ids: Tensor,
    /// Which samples go on `[B]`.
    unfinished: Tensor,
    drawn: bool,
    // Local variables that hold until they are assigned anew.
    logits: Option<Tensor>,
    scores: Option<Tensor>,
    probabilities: Option<Tensor>,
    next: Option<Tensor>,
}

impl Sampler {
    fn new(t: &Tape, ids: Tensor, drawn: bool) -> Self {
        Self {
            unfinished: numbers(t, "ones", [ids.dim(0)]),
            ids,
            drawn,
            logits: None,
            scores: None,
            probabilities: None,
            next: None,
        }
    }

    /// One step: logits `[B, 1, V]` to one token more of each sample.
    fn choose(&mut self, t: &Tape, logits: Tensor) {
        let (b, vocab) = (logits.dim(0), logits.dim(-1));
        let wide = t.empty("_to_copy", Shape::from([b, vocab]), DType::Float32);
        self.logits = Some(wide.clone());
        self.next = Some(if self.drawn {
            self.draw(t, &wide)
        } else {
            t.argmax_last(&wide)
        });
        let longer = numbers(t, "cat", [b, self.ids.dim(1) + 1]);
        self.ids = longer;
        self.unfinished = {
            let stop = {
                let _criteria = (flags(t, "full", b), flags(t, "full", b));
                flags(t, "bitwise_or", b)
            };
            let going = flags(t, "bitwise_not", b);
            drop(stop);
            let both = numbers(t, "bitwise_and", [b]);
            drop(going);
            both
        };
        let most = numbers(t, "max", Shape::new(&[]));
        let _stopped = flags(t, "eq", 1);
        drop((most, logits));
    }

    /// `TopKLogitsWarper`, softmax and `torch.multinomial`.
    fn draw(&mut self, t: &Tape, logits: &Tensor) -> Tensor {
        let (values, indices) = t.topk(logits, TOP_K);
        drop(indices);
        let lower = t.empty("lt", *logits.shape(), DType::Bool);
        drop(values);
        let scores = t.empty("masked_fill", *logits.shape(), DType::Float32);
        drop(lower);
        self.scores = Some(scores.clone());
        let probabilities = t.softmax(&scores, None);
        self.probabilities = Some(probabilities.clone());
        t.multinomial(&probabilities)
    }
}

/// What `generate` returns: the sequences. The cache is returned, too, and stays open. So many
/// `steps` at the beginning are decoded one by one.
pub(super) fn generate(
    t: &Tape,
    model: &Model,
    prompt: &Batch,
    options: &Evaluation,
    steps: u64,
) -> Tensor {
    let (b, s) = (prompt.ids().dim(0), prompt.ids().dim(1));
    let samples = b * options.num_beams;
    let token = |name| numbers(t, name, Shape::new(&[]));
    let start = model.has_start_token().then(|| token("bos_token"));
    let pad = token("pad_token");
    ask(t, "eq", "any", b);
    let mut given = positions(t, b, s);
    ask(t, "eq", "all", b * s);
    let mut ids = prompt.ids().clone();
    let mut mask = prompt.mask().unwrap_or(&ids).clone();
    if options.num_beams > 1 {
        let copy = || numbers(t, "clone", [samples, s]);
        ids = copy();
        mask = copy();
        given = copy();
    }
    ask(t, "lt", "any", b * s);
    let mut choice = if options.num_beams > 1 {
        Choice::Beams(Box::new(BeamSearch::new(t, options, b, s)))
    } else {
        Choice::Samples(Box::new(Sampler::new(t, ids.clone(), options.do_sample)))
    };
    let mut arguments = Arguments {
        positions: given.clone(),
        mask,
        last: None,
    };
    model.open_cache(t);
    let mut prefilled = {
        let copy = numbers(t, "clone", [samples, s]);
        model.infer(t, &copy, request(given.clone()))
    };
    let mut step = 0;
    while step < options.max_new_tokens {
        let logits = prefilled.take().or_else(|| {
            let (ids, positions) = arguments.newest(t);
            model.infer(t, &ids, request(positions))
        });
        let Some(logits) = logits else { break };
        arguments.grow(t, 1);
        match &mut choice {
            Choice::Samples(sampler) => sampler.choose(t, logits),
            Choice::Beams(beams) => beams.choose(t, logits),
        }
        step += 1;
        let rest = options.max_new_tokens - step;
        if step == steps && rest > LAST {
            let skipped = rest - LAST;
            t.grow_cache(skipped);
            arguments.grow(t, skipped);
            step += skipped;
        }
    }
    drop((given, ids, pad, start));
    match choice {
        Choice::Samples(sampler) => sampler.ids,
        Choice::Beams(beams) => beams.finish(t),
    }
}

fn request(positions: Tensor) -> Request {
    Request {
        positions: Some(positions),
        logits_to_keep: Some(1),
    }
}
