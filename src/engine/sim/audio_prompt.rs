//! The prompt that `generate` of Whisper prepares besides.
//!
//! Source: `models/whisper/generation_whisper.py`, `generation/logits_process.py`, transformers 5.23,
//! for recordings of one segment and a config without a generation config of its own.

use super::generate::{ask, flags, numbers};
use crate::families::Batch;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// Tokens that a text does not begin with (`begin_suppress_tokens` of `WhisperConfig`).
const SUPPRESSED: u64 = 2;

/// Tensors that live until `generate` returns: the segment's spectrograms, which are copied, the tokens that
/// are suppressed, and the decoder's first ids `[B, 1]`.
pub(super) struct AudioPrompt {
    _lists: [Tensor; 2],
    _segment: Tensor,
    pub(super) ids: Tensor,
}

impl AudioPrompt {
    pub(super) fn new(t: &Tape, prompt: &Batch) -> Self {
        let features = prompt.ids();
        let b = features.dim(0);
        let list = || numbers(t, "tensor", [SUPPRESSED]);
        let lists = [list(), list()];
        let segment = t.empty("cat", *features.shape(), features.dtype());
        let _rows = numbers(t, "tensor", [b]);
        Self {
            _lists: lists,
            _segment: segment,
            ids: numbers(t, "index", [b, 1]),
        }
    }
}

/// `torch.isin` of `n` elements among `tested` others.
fn found(t: &Tape, n: u64, tested: u64) -> Tensor {
    let out = flags(t, "isin", n);
    let _equal = flags(t, "isin", n * tested);
    let _any = flags(t, "isin", n);
    out
}

/// Whether the token that ends a text is that of padding, or negative.
pub(super) fn checks_end(t: &Tape) {
    let same = found(t, 1, 1);
    let _any = flags(t, "any", 1);
    drop(same);
    ask(t, "lt", "any", 1);
}

/// `SuppressTokensAtBeginLogitsProcessor` over scores `[B, V]`.
pub(super) fn suppressed(t: &Tape, scores: &Tensor, first: bool) -> Tensor {
    let vocab = scores.dim(-1);
    let all = numbers(t, "arange", [vocab]);
    let tokens = found(t, vocab, SUPPRESSED);
    if !first {
        return scores.clone();
    }
    let number = t.empty("scalar_tensor", Shape::new(&[]), DType::Float32);
    let out = t.empty("where", *scores.shape(), DType::Float32);
    drop((number, all, tokens));
    out
}

/// Samples that have ended go on with padding: the next tokens `[B]`.
pub(super) fn padded(t: &Tape, next: Tensor) -> Tensor {
    let shape = *next.shape();
    let going = numbers(t, "mul", shape);
    let padding = {
        let _ended = numbers(t, "rsub", shape);
        numbers(t, "mul", shape)
    };
    let sum = numbers(t, "add", shape);
    drop((going, padding, next));
    sum
}

/// `EosTokenCriteria`: flags `[B]` of samples that have ended or that `others` stop.
pub(super) fn ended(t: &Tape, b: u64, others: Tensor) -> Tensor {
    let any = {
        let _same = found(t, b, 1);
        flags(t, "any", b)
    };
    let stop = flags(t, "bitwise_or", b);
    drop((any, others));
    stop
}
