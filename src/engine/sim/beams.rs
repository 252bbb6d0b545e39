//! Beam search: the bookkeeping of several continuations of each sample.
//!
//! Source: `_beam_search`, `generation/utils.py`, transformers 4.51 and 5.23, without a token that ends
//! a sample.

use super::generate::{all_but_one, flags, numbers, without_repeated};
use crate::ask::Evaluation;
use crate::families::Calling;
use crate::nn::BatchShape;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// A beam search that is going on, for B samples with N beams.
pub(super) struct BeamSearch {
    samples: u64,
    beams: u64,
    /// Numbers of tokens of a sequence and of its generated part.
    lengths: [u64; 2],
    _top_beams: Tensor,
    running: Running,
    finished: [Tensor; 4],
    hits: Tensor,
    /// The samples that can still improve `[B]`; before transformers 5 nobody keeps that.
    unsatisfied: Option<Tensor>,
    /// Local variables that hold until they are assigned anew.
    logits: Option<Tensor>,
    scores: Option<Tensor>,
    top: Option<[Tensor; 3]>,
    /// The last sequences and beam indices, of which there are views.
    seen: Option<Tensor>,
    order: Option<Tensor>,
}

/// The sequences, scores and beam indices that go on.
struct Running {
    sequences: Tensor,
    _scores: Tensor,
    indices: Tensor,
}

fn reals(t: &Tape, op: &'static str, shape: impl Into<Shape>) -> Tensor {
    t.empty(op, shape.into(), DType::Float32)
}

/// `_gather_beams`: rows of `[B, n, m]`.
fn gathered(t: &Tape, shape: [u64; 3], dtype: DType) -> Tensor {
    let index = numbers(t, "remainder", shape);
    let rows = t.empty("gather", Shape::from(shape), dtype);
    drop(index);
    rows
}

impl BeamSearch {
    /// Beam search over prompts `[B, S]`.
    pub(super) fn new(
        t: &Tape,
        options: &Evaluation,
        BatchShape { b, s }: BatchShape,
        recent: bool,
    ) -> Self {
        let (n, new) = (options.num_beams, options.max_new_tokens);
        let top_beams = flags(t, "_to_copy", 2 * n);
        let sequences = [(), ()].map(|()| numbers(t, "full", [b, n, s + new]));
        let scores = [(), ()].map(|()| reals(t, "full", [b, n]));
        let finished = flags(t, "zeros", b * n);
        let unsatisfied = recent.then(|| flags(t, "ones", b));
        let hits = flags(t, "zeros", b * n);
        let indices = [(), ()].map(|()| t.empty("full", Shape::from([b, n, new]), DType::Int32));
        let ([running_sequences, sequences], [running_scores, scores]) = (sequences, scores);
        let [running_indices, indices] = indices;
        Self {
            samples: b,
            beams: n,
            lengths: [s + new, new],
            _top_beams: top_beams,
            running: Running {
                sequences: running_sequences,
                _scores: running_scores,
                indices: running_indices,
            },
            finished: [sequences, scores, indices, finished],
            hits,
            unsatisfied,
            logits: None,
            scores: None,
            top: None,
            seen: None,
            order: None,
        }
    }

    /// A step of the search: chooses the next token of each beam, which may be `forced`, from logits `[B x N, 1, V]`.
    pub(super) fn choose(&mut self, t: &Tape, logits: Tensor, (forced, calling): (bool, Calling)) {
        let (b, n) = (self.samples, self.beams);
        let rows = Shape::from([b * n, logits.dim(-1)]);
        let wide = t.empty("_to_copy", rows, DType::Float32);
        self.logits = Some(wide);
        let mut scores = t.empty("_log_softmax", rows, DType::Float32);
        self.scores = None;
        scores = without_repeated(t, scores, calling);
        if forced {
            scores = all_but_one(t, &scores, self.unsatisfied.is_some());
        }
        let vocab = logits.dim(-1);
        drop(logits);
        scores = {
            let sum = t.empty("add", Shape::from([b, n * vocab]), DType::Float32);
            drop(scores);
            sum
        };
        let best = t.topk(&scores, 2 * n);
        self.scores = Some(scores);
        self.extend(t, best);
        self.hits = {
            let _criteria = (flags(t, "full", 2 * b * n), flags(t, "full", 2 * b * n));
            flags(t, "bitwise_or", 2 * b * n)
        };
        self.continue_best(t);
        self.keep_finished(t);
        t.reorder_cache();
        self.check(t);
    }

    /// `_get_top_k_continuations`: twice as many as there are beams.
    fn extend(&mut self, t: &Tape, (values, indices): (Tensor, Tensor)) {
        let (b, n) = (self.samples, self.beams);
        let [all, new] = self.lengths;
        let beam = numbers(t, "floor_divide", [b, 2 * n]);
        let beam_indices = gathered(t, [b, 2 * n, new], DType::Int32);
        let sequences = gathered(t, [b, 2 * n, all], DType::Int64);
        let ids = numbers(t, "remainder", [b, 2 * n]);
        let range = numbers(t, "arange", [b]);
        let offset = numbers(t, "mul", [b]);
        drop(range);
        let moved = numbers(t, "add", [b, 2 * n]);
        drop((indices, beam, ids, offset, moved));
        self.top = Some([values, sequences, beam_indices]);
    }

    /// `_get_running_beams_for_next_iteration`.
    fn continue_best(&mut self, t: &Tape) {
        let (b, n) = (self.samples, self.beams);
        let [all, new] = self.lengths;
        let wide = reals(t, "_to_copy", [b, 2 * n]);
        let penalty = reals(t, "mul", [b, 2 * n]);
        drop(wide);
        let scores = reals(t, "add", [b, 2 * n]);
        drop(penalty);
        let (best, order) = t.topk(&scores, n);
        drop(best);
        let sequences = gathered(t, [b, n, all], DType::Int64);
        let kept = gathered(t, [b, n, 1], DType::Float32);
        let indices = gathered(t, [b, n, new], DType::Int32);
        drop((scores, order));
        self.running = Running {
            sequences,
            _scores: kept,
            indices,
        };
    }

    /// `_update_finished_beams`.
    fn keep_finished(&mut self, t: &Tape) {
        let (b, n) = (self.samples, self.beams);
        let [all, new] = self.lengths;
        let just = flags(t, "bitwise_and", 2 * b * n);
        let scores = reals(t, "div", [b, 2 * n]);
        let full = {
            let _all = flags(t, "all", b);
            flags(t, "bitwise_and", b)
        };
        let penalty = |from: Option<Tensor>, size: u64| {
            let wide = from.is_some().then(|| reals(t, "_to_copy", [size]));
            drop(from);
            let _penalty = (reals(t, "mul", [size]), wide);
        };
        penalty(Some(full.clone()), b);
        if self.unsatisfied.is_some() {
            penalty(Some(flags(t, "bitwise_not", b)), b);
        }
        {
            let _not = flags(t, "bitwise_not", 2 * b * n);
            penalty(None, 2 * b * n);
        }
        let merged = (
            numbers(t, "cat", [b, 3 * n, all]),
            reals(t, "cat", [b, 3 * n]),
            t.empty("cat", Shape::from([b, 3 * n, new]), DType::Int32),
            flags(t, "cat", 3 * b * n),
        );
        let (best, order) = t.topk(&merged.1, n);
        drop(best);
        let kept = [
            gathered(t, [b, n, all], DType::Int64),
            gathered(t, [b, n, 1], DType::Float32),
            gathered(t, [b, n, new], DType::Int32),
            gathered(t, [b, n, 1], DType::Bool),
        ];
        drop((scores, just, full, merged, order));
        self.finished = kept;
        self.order = Some(self.running.indices.clone());
    }

    /// Whether a running beam can still become better than the finished ones, and whether any
    /// sample goes on.
    fn check(&mut self, t: &Tape) {
        let b = self.samples;
        let best = reals(t, "div", [b]);
        let worst = {
            let least = reals(t, "min", [b]);
            drop(numbers(t, "min", [b]));
            let scalar = reals(t, "scalar_tensor", Shape::new(&[]));
            let worst = reals(t, "where", [b, self.beams]);
            drop((scalar, least));
            worst
        };
        let flag = |op| flags(t, op, 1);
        let better = flags(t, "gt", b * self.beams);
        let improves = if self.unsatisfied.is_some() {
            let any = flags(t, "any", b);
            drop(better);
            self.unsatisfied = Some(flags(t, "bitwise_and", b));
            drop((any, best, worst));
            flag("any")
        } else {
            let any = flag("any");
            drop((better, best, worst));
            any
        };
        let open = {
            let both = {
                let _all = flag("all");
                flag("bitwise_and")
            };
            let open = flag("bitwise_not");
            drop(both);
            open
        };
        let valid = {
            let _all = flag("all");
            flag("bitwise_not")
        };
        let _goes_on = (flag("bitwise_and"), flag("bitwise_and"));
        drop((improves, open, valid));
        self.seen = Some(self.running.sequences.clone());
    }

    /// The best finished sequences.
    pub(super) fn finish(self, t: &Tape) -> Tensor {
        let b = self.samples;
        let shifted = t.empty("add", Shape::from([b, self.lengths[1]]), DType::Int32);
        drop(shifted);
        let [sequences, ..] = self.finished;
        sequences
    }
}
