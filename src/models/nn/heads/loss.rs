//! Losses as transformers computes them.

use crate::nn::build::{Facts, Linear};
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// Labels `[B, S]` as the loss of the next token reads them, and what stays a local variable besides.
fn next_tokens(t: &Tape, facts: Facts, labels: &Tensor) -> (Option<Tensor>, Tensor) {
    if facts.labels_are_shifted {
        return (None, labels.clone());
    }
    let (padded, shifted) = t.shifted_labels(labels);
    (Some(padded), shifted)
}

/// `ForCausalLMLoss` (`loss/loss_utils.py`): logits `[B, S, V]` in any dtype, labels `[B, S]`.
pub(crate) fn causal_lm(t: &Tape, facts: Facts, logits: &Tensor, labels: &Tensor) -> Tensor {
    if facts.uncast_loss {
        return copied_next_token(t, facts, logits, labels);
    }
    let vocab = logits.dim(-1);
    let logits = t.to(logits, DType::Float32);
    // Models that cast them themselves have copied them without the last.
    if facts.loss_pads_labels && !facts.casts_logits {
        let (padded, shifted) = next_tokens(t, facts, labels);
        let flat = t.view(&logits, [logits.numel() / vocab, vocab]);
        let target = t.view(&shifted, [shifted.numel()]);
        drop(shifted);
        let loss = of_tokens(t, facts, &flat, &target);
        drop(target);
        drop(flat);
        drop(logits);
        drop(padded);
        loss
    } else {
        copied_next_token(t, facts, &logits, labels)
    }
}

/// The loss from this rank's columns of logits that ranks divide (`loss_parallel`), as training scripts write it:
/// `cross_entropy(logits.float().flatten(0, 1), pad(labels)[:, 1:].flatten())`.
pub(crate) fn of_divided_logits(t: &Tape, logits: &Tensor, labels: &Tensor) -> Tensor {
    let columns = logits.dim(-1);
    let wide = t.to(logits, DType::Float32);
    let (rows, tokens) = (labels.dim(0), labels.dim(1) + 1);
    let padded = t.empty("constant_pad_nd", Shape::from([rows, tokens]), DType::Int64);
    let shifted = t.slice(&padded, 1, 1, tokens);
    let flat = t.view(&wide, [wide.numel() / columns, columns]);
    let target = t.reshape(&shifted, [shifted.numel()]);
    let loss = t.divided_cross_entropy(&flat, &target);
    drop((flat, target, shifted));
    drop(padded);
    loss
}

/// Pieces into which torchtune cuts a sequence (`num_output_chunks`, torchtune 0.6).
const PIECES: u64 = 8;

/// torchtune's `CEWithChunkedOutputLoss` (`modules/loss/ce_chunked_output_loss.py`, torchtune 0.6)
/// over the head's result for pieces of the hidden states `[B, S, H]`; `after` is applied to the result of each piece.
pub(crate) fn chunked(
    t: &Tape,
    hidden: &Tensor,
    (head, after): (&Linear, impl Fn(&Tape, Tensor) -> Tensor),
    labels: &Tensor,
) -> Tensor {
    let logits = |t: &Tape, part: &Tensor| after(t, t.around_head(|| head.forward(t, part)));
    let logits = chunked_logits(t, hidden, logits);
    t.scoped("loss", None, || {
        let (padded, labels) = t.shifted_labels(labels);
        drop(padded);
        of_chunks(t, &logits, &labels)
    })
}

/// Parts of x `[B, S, ..]` along the sequence.
fn pieces(t: &Tape, x: &Tensor) -> Vec<Tensor> {
    let tokens = x.dim(1);
    let piece = tokens.div_ceil(PIECES).max(1);
    let size = |i| piece.min(tokens - i * piece);
    let sizes: Vec<u64> = (0..tokens.div_ceil(piece)).map(size).collect();
    t.parts(x, &sizes, 1)
}

/// Logits of pieces of the hidden states `[B, S, H]` (`chunked_output`, `modules/transformer.py`, torchtune 0.6).
pub(crate) fn chunked_logits(
    t: &Tape,
    hidden: &Tensor,
    head: impl Fn(&Tape, &Tensor) -> Tensor,
) -> Vec<Tensor> {
    t.scoped("lm_head", None, || {
        let parts = pieces(t, hidden);
        parts.iter().map(|part| head(t, part)).collect()
    })
}

/// The loss of logits in pieces, each of which becomes float32 in its turn, and of labels `[B, S]` that are shifted.
pub(crate) fn of_chunks(t: &Tape, logits: &[Tensor], labels: &Tensor) -> Tensor {
    let counted = t.counted(labels);
    let flat = |x: Tensor| t.reshape(&x, [x.numel()]);
    let targets: Vec<Tensor> = pieces(t, labels).into_iter().map(flat).collect();
    let mut total: Option<Tensor> = None;
    for (logits, target) in logits.iter().zip(&targets) {
        let vocab = logits.dim(-1);
        let rows = t.view(logits, [logits.numel() / vocab, vocab]);
        let loss = t.cross_entropy(&t.to(&rows, DType::Float32), target);
        total = Some(match total.take() {
            Some(total) => t.add_in_place(total, &loss),
            None => t.add_scalar(&loss),
        });
    }
    let total = total.expect("a sequence has a token");
    t.div_by(&total, &counted)
}

/// The loss of Cut Cross-Entropy as its patches of transformers call it (`transformers/utils.py`,
/// cut-cross-entropy 25.1.1): from hidden states `[B, S, H]` and the head's weight `[V, H]` in the dtype of
/// autocast or else in that of a narrow weight.
pub(crate) fn cut(
    t: &Tape,
    (hidden, weight): (Tensor, &Tensor),
    labels: &Tensor,
    softcap: bool,
) -> Tensor {
    let narrow = if weight.dtype() == DType::Float32 {
        hidden.dtype()
    } else {
        weight.dtype()
    };
    let dtype = t.autocast_dtype().unwrap_or(narrow);
    let narrow = t.to(&hidden, dtype);
    let weight = t.to(weight, dtype);
    drop(hidden);
    t.cut_cross_entropy(&narrow, &weight, labels, softcap)
}

/// `LigerForCausalLMLoss`: the loss from hidden states `[B, S, H]` and the head's weight `[V, H]`, the
/// logits of a piece as large as `budget` of the hidden states.
pub(crate) fn liger_causal_lm(
    t: &Tape,
    facts: Facts,
    hidden: &Tensor,
    weight: &Tensor,
    labels: &Tensor,
    budget: u64,
) -> Tensor {
    let (padded, shifted) = next_tokens(t, facts, labels);
    let flat = t.view(hidden, [hidden.numel() / hidden.dim(-1), hidden.dim(-1)]);
    let target = t.view(&shifted, [shifted.numel()]);
    drop(shifted);
    let loss = t.liger_linear_cross_entropy(&flat, weight, &target, budget);
    drop(padded);
    loss
}

/// The loss of each position's next token, with the logits copied without the last position and
/// in the dtype that they have.
pub fn copied_next_token(t: &Tape, facts: Facts, logits: &Tensor, labels: &Tensor) -> Tensor {
    let vocab = logits.dim(-1);
    let shorter = t.slice(logits, 1, 0, logits.dim(1) - 1);
    let shorter = facts.index_all(t, &shorter, 1);
    let shift_logits = t.contiguous(&shorter);
    drop(shorter);
    let shift_labels = t.contiguous(&t.slice(labels, 1, 1, labels.dim(1)));
    let flat = t.view(&shift_logits, [shift_logits.numel() / vocab, vocab]);
    drop(shift_logits);
    let target = t.view(&shift_labels, [shift_labels.numel()]);
    drop(shift_labels);
    of_tokens(t, facts, &flat, &target)
}

/// `nn.functional.cross_entropy`, in whose place Liger puts its own (`transformers/monkey_patch.py`): logits
/// `[N, V]` and as many labels.
fn of_tokens(t: &Tape, facts: Facts, logits: &Tensor, labels: &Tensor) -> Tensor {
    if facts.liger_cross_entropy {
        t.liger_cross_entropy(logits, labels)
    } else {
        t.cross_entropy(logits, labels)
    }
}

/// The loss of a class, a token or a number for each row: logits `[.., classes]` and as many labels.
pub(crate) fn of_classes(t: &Tape, logits: &Tensor, labels: &Tensor) -> Tensor {
    t.scoped("loss", None, || {
        let classes = logits.dim(-1);
        let flat = t.view(logits, [logits.numel() / classes, classes]);
        let target = t.view(labels, [labels.numel()]);
        if classes == 1 && logits.shape().rank() == 2 {
            // A number is predicted, of a sample; a token has a class even where there is one.
            return t.mse_loss(&t.view(&flat, [flat.numel()]), &target);
        }
        t.cross_entropy(&flat, &target)
    })
}

/// The loss of logits that are cast to float32 (`ForMaskedLMLoss`).
pub(crate) fn of_classes_in_float32(t: &Tape, logits: &Tensor, labels: &Tensor) -> Tensor {
    let wide = t.to(logits, DType::Float32);
    of_classes(t, &wide, labels)
}

/// The loss of the samples that have a label (`DebertaV2ForSequenceClassification`): logits `[B, C]`
/// and labels `[B]` are gathered by the rows that have one, all of them here.
pub(crate) fn of_labelled(t: &Tape, logits: &Tensor, labels: &Tensor) -> Tensor {
    t.scoped("loss", None, || {
        let (b, classes) = (logits.dim(0), logits.dim(1));
        let rows = {
            let _labelled = t.empty("ge", Shape::from([b]), DType::Bool);
            t.synchronize_stream();
            t.empty("nonzero", Shape::from([b, 1]), DType::Int64)
        };
        let chosen = t.gather(logits, &t.expand(&rows, [b, classes]));
        let target = t.gather(labels, &t.view(&rows, [b]));
        let wide = t.to(&chosen, DType::Float32);
        let loss = t.cross_entropy(&wide, &target);
        drop((rows, chosen));
        loss
    })
}

/// The loss of B images and texts that belong together (`image_text_contrastive_loss`, CLIP): logits
/// `[B, B]`.
pub(crate) fn of_pairs(t: &Tape, logits: &Tensor) -> Tensor {
    let of_rows = |logits: &Tensor| {
        let places = t.empty("arange", Shape::from([logits.dim(0)]), DType::Int64);
        t.cross_entropy(logits, &places)
    };
    let captions = of_rows(logits);
    let images = of_rows(&t.t(logits));
    let sum = t.add(&captions, &images);
    let mean = t.div_scalar(&sum);
    drop((sum, captions, images));
    mean
}

/// The loss of each pair by itself (`SiglipModel`): whether its image and text belong together.
pub(crate) fn of_each_pair(t: &Tape, logits: &Tensor) -> Tensor {
    let same = *logits.shape();
    let eye = t.empty("eye", same, DType::Float32);
    let signs = {
        let negative = {
            let _ones = t.empty("ones_like", same, logits.dtype());
            t.empty("neg", same, logits.dtype())
        };
        let twice = t.empty("mul", same, DType::Float32);
        let signs = t.add(&negative, &twice);
        drop(negative);
        drop(twice);
        signs
    };
    let likelihood = t.logsigmoid(&t.mul(&signs, logits));
    drop(signs);
    let negative = {
        let sum = t.sum_dim(&likelihood, 1, false);
        t.neg(&sum)
    };
    let mean = t.mean_all(&negative);
    drop((eye, likelihood, negative));
    mean
}
