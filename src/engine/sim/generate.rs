//! `generate`: a prompt in one pass, then token by token over a cache of keys and values.
//!
//! Source: `generation/utils.py`, transformers 5.23, where no sample ends before it has all its tokens.

use super::arguments::{Arguments, positions};
use super::audio_prompt::{self, AudioPrompt};
use super::beams::BeamSearch;
use super::precision::in_float32;
use crate::ask::Evaluation;
use crate::families::{Batch, Calling, GenerateVersion, Model};
use crate::nn::BatchShape;
use crate::nn::ImageFeatures;
use crate::nn::{Output, Request};
use crate::tape::{CacheKind, Tape, Tensor};
use crate::units::{DType, Shape};

/// Tokens among which `generate` draws (`top_k` of `GenerationConfig`).
const TOP_K: u64 = 50;

/// Tokens at the beginning that are decoded one by one. Those between them and the [`LAST`] only
/// lengthen the cache: each step needs as much as the one before and one token more (tested in
/// `evaluate.rs`).
pub(super) const STEPS: u64 = 128;

/// The fewest of them, and the events that are written of a text's beginning before no more than those
/// are decoded one by one: with hundreds of experts that run one after the other a token takes tens of
/// thousands.
const FEWEST: u64 = 16;
const EVENTS: usize = 1 << 17;

/// Tokens at the end that are decoded one by one.
const LAST: u64 = 16;

pub(super) fn flags(t: &Tape, op: &'static str, n: u64) -> Tensor {
    t.empty(op, Shape::from([n]), DType::Bool)
}

pub(super) fn numbers(t: &Tape, op: &'static str, shape: impl Into<Shape>) -> Tensor {
    t.empty(op, shape.into(), DType::Int64)
}

/// Compares all of the tokens and asks one question of the result.
pub(super) fn ask(t: &Tape, comparison: &'static str, question: &'static str, n: u64) {
    let compared = flags(t, comparison, n);
    let answer = flags(t, question, 1);
    drop((compared, answer));
}

/// Counts the prompts that end with padding and asks whether there are any (transformers 4).
fn count_padded(t: &Tape, b: u64) {
    let compared = flags(t, "eq", b);
    let sum = numbers(t, "sum", Shape::new(&[]));
    drop(numbers(t, "sum", [b]));
    drop(compared);
    let _any = flags(t, "gt", 1);
    drop(sum);
}

/// `EncoderNoRepeatNGramLogitsProcessor`: a copy of scores `[B, V]`, in which tokens are ruled out one by
/// one.
pub(super) fn without_repeated(t: &Tape, scores: Tensor, calling: Calling) -> Tensor {
    if !calling.repeats_nothing {
        return scores;
    }
    t.empty("clone", *scores.shape(), DType::Float32)
}

/// The arguments of `generate`.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    pub(super) options: &'a Evaluation,
    /// Tokens at the beginning that are decoded one by one.
    pub(super) steps: u64,
    /// Whether a token could end a sample. Tokens are drawn among all then, as trl 1.16 asks for them, not
    /// among [`TOP_K`].
    pub(super) ends: bool,
}

/// How the next tokens are chosen.
enum Choice {
    Samples(Box<Sampler>),
    Beams(Box<BeamSearch>),
}

impl Choice {
    /// Adds `tokens` tokens to each sample; beams have places for all from the start.
    fn grow(&mut self, t: &Tape, tokens: u64) {
        if let Self::Samples(sampler) = self {
            sampler.grow(t, tokens);
        }
    }
}

/// The logits `[B, V]` of the last position in float32; in transformers 4.48 they are cloned first.
pub(super) fn last_logits(t: &Tape, logits: &Tensor, version: GenerateVersion) -> Tensor {
    let rows = Shape::from([logits.dim(0), logits.dim(-1)]);
    if version == GenerateVersion::V448 {
        let clone = t.empty("clone", rows, logits.dtype());
        return t.to(&clone, DType::Float32);
    }
    t.empty("_to_copy", rows, DType::Float32)
}

/// `ForcedEOSTokenLogitsProcessor` at the last token: scores `[B, V]` in which one token is possible.
pub(super) fn all_but_one(t: &Tape, scores: &Tensor, recent: bool) -> Tensor {
    let forced = t.empty("full_like", *scores.shape(), DType::Float32);
    // Before torch 2.15 the number that is put there is on the device.
    let _number = (!recent).then(|| t.empty("scalar_tensor", Shape::new(&[]), DType::Float32));
    forced
}

/// `_sample`: greedy search, or drawing by chance.
struct Sampler {
    /// All tokens so far `[B, S]`.
    ids: Tensor,
    /// The samples that go on `[B]`.
    unfinished: Tensor,
    drawn: bool,
    ends: bool,
    calling: Calling,
    // Local variables that hold until they are assigned anew.
    logits: Option<Tensor>,
    scores: Option<Tensor>,
    probabilities: Option<Tensor>,
    next: Option<Tensor>,
    /// Whether all are finished: since transformers 5 asked at once.
    stopped: Option<Tensor>,
}

impl Sampler {
    fn new(t: &Tape, ids: Tensor, asked: Asked<'_>, calling: Calling) -> Self {
        Self {
            unfinished: numbers(t, "ones", [ids.dim(0)]),
            ids,
            // Whisper draws only where a temperature is given (`generate_with_fallback`).
            drawn: asked.options.do_sample && !calling.reads_audio,
            ends: asked.ends,
            calling,
            logits: None,
            scores: None,
            probabilities: None,
            next: None,
            stopped: None,
        }
    }

    /// Adds `tokens` tokens to each sample, as steps choose them one by one.
    fn grow(&mut self, t: &Tape, tokens: u64) {
        self.ids = numbers(t, "cat", [self.ids.dim(0), self.ids.dim(1) + tokens]);
    }

    /// A step of the generation: chooses the next token of each sample, which may be `forced`, from logits `[B, 1, V]`.
    fn choose(&mut self, t: &Tape, logits: Tensor, forced: bool) {
        let b = logits.dim(0);
        let wide = last_logits(t, &logits, self.calling.version);
        self.logits = Some(wide.clone());
        let reads_audio = self.calling.reads_audio;
        let wide = without_repeated(t, wide, self.calling);
        let scores = if reads_audio {
            audio_prompt::suppressed(t, &wide, self.next.is_none())
        } else if forced {
            all_but_one(t, &wide, self.calling.version == GenerateVersion::V5)
        } else {
            wide
        };
        self.next = Some(if self.drawn {
            self.draw(t, &scores)
        } else {
            self.scores = Some(scores.clone());
            t.argmax_last(&scores)
        });
        if reads_audio {
            self.next = self.next.take().map(|next| audio_prompt::padded(t, next));
        }
        if self.ends {
            self.next = Some(padded(t, b));
        }
        self.grow(t, 1);
        self.unfinished = {
            let stop = {
                let _criteria = (flags(t, "full", b), flags(t, "full", b));
                flags(t, "bitwise_or", b)
            };
            let stop = if self.ends { ended(t, b, stop) } else { stop };
            let stop = if reads_audio {
                audio_prompt::ended(t, b, stop)
            } else {
                stop
            };
            let going = flags(t, "bitwise_not", b);
            drop(stop);
            let both = numbers(t, "bitwise_and", [b]);
            drop(going);
            both
        };
        let most = numbers(t, "max", Shape::new(&[]));
        let stopped = flags(t, "eq", 1);
        drop(most);
        self.stopped = Some(stopped).filter(|_| self.calling.version != GenerateVersion::V5);
        drop(logits);
    }

    /// `TopKLogitsWarper`, where tokens are not drawn among all.
    fn warped(&self, t: &Tape, logits: &Tensor) -> Tensor {
        if self.ends {
            return logits.clone();
        }
        let (values, indices) = t.topk(logits, TOP_K);
        drop(indices);
        let lower = t.empty("lt", *logits.shape(), DType::Bool);
        drop(values);
        let scores = t.empty("masked_fill", *logits.shape(), DType::Float32);
        drop(lower);
        scores
    }

    /// Softmax and `torch.multinomial`.
    fn draw(&mut self, t: &Tape, logits: &Tensor) -> Tensor {
        let scores = self.warped(t, logits);
        self.scores = Some(scores.clone());
        let probabilities = t.softmax(&scores, None);
        self.probabilities = Some(probabilities.clone());
        t.multinomial(&probabilities)
    }
}

/// The beginning of the search.
struct Start {
    /// Token ids `[B, S]`: the prompt, or the token that a decoder begins with.
    ids: Tensor,
    /// The prompt's mask, unless it is dropped.
    mask: Option<Tensor>,
    /// Positions `[B, S]`, since transformers 5, or places `[4, B, S]`.
    positions: Option<Tensor>,
    /// The encoder's result.
    encoded: Option<Tensor>,
    /// Features of images.
    features: Option<ImageFeatures>,
}

impl Start {
    fn new(t: &Tape, model: &Model, prompt: &Batch, audio: Option<&AudioPrompt>) -> Self {
        let calling = model.calling();
        let recent = calling.version == GenerateVersion::V5;
        let (b, s) = (prompt.ids().dim(0), prompt.ids().dim(1));
        let mask = prompt.mask().unwrap_or(prompt.ids());
        let mask = Some(mask).filter(|_| !calling.drops_mask).cloned();
        if calling.encodes {
            let request = Request {
                masked: prompt.mask().is_some(),
                ..Request::default()
            };
            let encoded = model.encode(t, prompt, request);
            let ids = {
                let _ones = numbers(t, "ones", [b, 1]);
                numbers(t, "mul", [b, 1])
            };
            return Self {
                ids: audio.map_or(ids, |audio| audio.ids.clone()),
                mask,
                positions: None,
                encoded,
                features: None,
            };
        }
        let mut given = None;
        if recent {
            ask(t, "eq", "any", b);
            given = calling.positions.then(|| positions(t, b, s));
            given = given.map(|positions| model.places(t, positions));
            ask(t, "eq", "all", b * s);
        } else if b > 1 {
            count_padded(t, b);
        }
        Self {
            ids: prompt.ids().clone(),
            mask,
            positions: given,
            encoded: None,
            features: model.see(t, prompt),
        }
    }

    /// Each sample as many times as there are beams (`_expand_inputs_for_generation`).
    fn repeat(&mut self, t: &Tape, times: u64) {
        let Self {
            ids,
            mask,
            positions,
            encoded,
            ..
        } = self;
        let given = [
            Some(ids),
            mask.as_mut(),
            positions.as_mut(),
            encoded.as_mut(),
        ];
        for tensor in given.into_iter().flatten() {
            let mut shape = *tensor.shape();
            shape.dims_mut()[0] *= times;
            *tensor = t.empty("clone", shape, tensor.dtype());
        }
    }
}

/// Next tokens `[B, 1]`, of padding where a sample has ended.
fn padded(t: &Tape, b: u64) -> Tensor {
    let going = numbers(t, "mul", [b]);
    let padding = {
        let _over = numbers(t, "rsub", [b]);
        numbers(t, "mul", [b])
    };
    let next = numbers(t, "add", [b]);
    drop((going, padding));
    next
}

/// `torch.isin`: which of the tokens end a sample.
fn found(t: &Tape, n: u64) -> Tensor {
    let found = flags(t, "isin", n);
    let _compared = flags(t, "isin", n);
    let _either = flags(t, "isin", n);
    found
}

/// `EosTokenCriteria`: flags `[B]` of samples that stop, for this or another reason.
fn ended(t: &Tape, b: u64, stop: Tensor) -> Tensor {
    let ended = {
        let _found = found(t, b);
        flags(t, "any", b)
    };
    let either = flags(t, "bitwise_or", b);
    drop((stop, ended));
    either
}

/// Special tokens on the device (`_prepare_special_tokens`).
fn special_tokens(t: &Tape, calling: Calling, ends: bool) -> Vec<Tensor> {
    let token = |name| numbers(t, name, Shape::new(&[]));
    let others: Vec<_> = (0..calling.special_tokens)
        .map(|_| token("special_token"))
        .collect();
    let ending = ends.then(|| numbers(t, "eos_token", [1]));
    let pad = token("pad_token");
    if ending.is_some() {
        let found = found(t, 1);
        let answer = flags(t, "any", 1);
        drop((found, answer));
        ask(t, "lt", "any", 1);
    }
    ending.into_iter().chain([pad]).chain(others).collect()
}

/// A model's output in the region of autocast around its forward, cast to float32. Copies of weights are classified as
/// in training if the model is `trained`.
fn within_autocast(
    t: &Tape,
    dtype: DType,
    (calling, trained): (Calling, bool),
    infer: impl FnOnce() -> Output,
) -> Output {
    t.enter_autocast(dtype);
    let output = infer();
    if trained {
        t.classify_autocast_copies();
    }
    t.exit_autocast();
    in_float32(t, output, calling.cache == CacheKind::Tuples)
}

/// The sequences that `generate` returns. The cache is returned, too, and stays open. The model's forward may be
/// wrapped in autocast.
pub(super) fn generate(
    t: &Tape,
    (model, wrapped): (&Model, Option<DType>),
    prompt: &Batch,
    asked: Asked<'_>,
) -> Tensor {
    let Asked { options, steps, .. } = asked;
    let calling = model.calling();
    let recent = calling.version == GenerateVersion::V5;
    let audio = calling.reads_audio.then(|| AudioPrompt::new(t, prompt));
    let special = special_tokens(t, calling, asked.ends);
    if calling.reads_audio {
        audio_prompt::checks_end(t);
    }
    let mut start = Start::new(t, model, prompt, audio.as_ref());
    let size = BatchShape::of(&start.ids);
    if options.num_beams > 1 {
        start.repeat(t, options.num_beams);
    }
    // The mask as it was before it grew stays in `model_kwargs` of `generate`.
    let mask = start.mask.clone();
    if recent && !calling.reads_audio {
        ask(t, "lt", "any", prompt.ids().numel());
    }
    let end = (calling.forced_end).then(|| numbers(t, "eos_token", Shape::new(&[])));
    if end.is_some() {
        ask(t, "lt", "any", 1);
    }
    let mut choice = if options.num_beams > 1 {
        Choice::Beams(Box::new(BeamSearch::new(t, options, size, recent)))
    } else {
        let sampler = Sampler::new(t, start.ids.clone(), asked, calling);
        Choice::Samples(Box::new(sampler))
    };
    let mut arguments = Arguments::new(t, calling, &start.ids, start.mask, start.positions.clone());
    model.open_cache_of_text(t, size.s + options.max_new_tokens);
    let written = t.written_events();
    let (mut step, mut skips) = (0, false);
    while step < options.max_new_tokens {
        let mut output = {
            let inputs = arguments.inputs(t, &start.ids);
            // `_optimize_model_for_decode`, of `_sample` alone.
            let batched_experts = step > 0 && matches!(choice, Choice::Samples(_));
            let request = Request {
                masked: mask.is_some(),
                positions: inputs.positions,
                logits_to_keep: calling.last_logits.then_some(1),
                encoded: start.encoded.clone(),
                features: start.features.clone().filter(|_| step == 0),
                causal_mask: arguments.made(),
                batched_experts,
                ..Request::default()
            };
            let images = prompt
                .images()
                .filter(|_| step == 0 && start.features.is_none());
            let given = (arguments.mask(), images.cloned());
            let infer = || model.infer(t, &inputs.ids, given, request);
            match wrapped {
                Some(dtype) => within_autocast(t, dtype, (calling, asked.ends), infer),
                None => infer(),
            }
        };
        let Some(logits) = output.logits.take() else {
            break;
        };
        arguments.grow(t, 1);
        step += 1;
        let forced = calling.forced_end && step == options.max_new_tokens;
        match &mut choice {
            Choice::Samples(sampler) => sampler.choose(t, logits, forced),
            Choice::Beams(beams) => beams.choose(t, logits, (forced, calling)),
        }
        let rest = options.max_new_tokens - step;
        let many = step >= FEWEST && t.written_events() - written > EVENTS;
        if !skips && (step == steps || many) && rest > LAST {
            skips = true;
            let skipped = rest - LAST;
            t.grow_cache(skipped);
            arguments.grow(t, skipped);
            choice.grow(t, skipped);
            step += skipped;
        }
    }
    model.close_cache_of_text(t);
    drop((
        start.positions,
        start.ids,
        start.encoded,
        start.features,
        mask,
        end,
        special,
    ));
    match choice {
        Choice::Samples(sampler) => sampler.ids,
        Choice::Beams(beams) => beams.finish(t),
    }
}
