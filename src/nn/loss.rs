//! Losses as transformers computes them.

use super::facts::Facts;
use crate::tape::{Tape, Tensor};
use crate::units::DType;

/// `ForCausalLMLoss` (`loss/loss_utils.py`): logits `[B, S, V]` in any dtype, labels `[B, S]`.
pub(super) fn causal_lm(t: &Tape, facts: Facts, logits: &Tensor, labels: &Tensor) -> Tensor {
    let vocab = logits.dim(-1);
    let logits = t.to(logits, DType::Float32);
    if facts.loss_pads_labels {
        let (padded, shifted) = t.shifted_labels(labels);
        let flat = t.view(&logits, [logits.numel() / vocab, vocab]);
        let target = t.view(&shifted, [shifted.numel()]);
        drop(shifted);
        let loss = if facts.liger_cross_entropy {
            t.liger_cross_entropy(&flat, &target)
        } else {
            t.cross_entropy(&flat, &target)
        };
        drop(target);
        drop(flat);
        drop(logits);
        drop(padded);
        loss
    } else {
        copied_next_token(t, facts, &logits, labels)
    }
}

/// `LigerForCausalLMLoss`: the loss from hidden states `[B, S, H]` and the head's weight `[V, H]`.
pub(super) fn liger_causal_lm(
    t: &Tape,
    hidden: &Tensor,
    weight: &Tensor,
    labels: &Tensor,
) -> Tensor {
    let (padded, shifted) = t.shifted_labels(labels);
    let flat = t.view(hidden, [hidden.numel() / hidden.dim(-1), hidden.dim(-1)]);
    let target = t.view(&shifted, [shifted.numel()]);
    drop(shifted);
    let loss = t.liger_linear_cross_entropy(&flat, weight, &target);
    drop(padded);
    loss
}

/// The loss of each position's next token, with the logits copied without the last position and
/// in the dtype that they have.
pub(super) fn copied_next_token(
    t: &Tape,
    facts: Facts,
    logits: &Tensor,
    labels: &Tensor,
) -> Tensor {
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
    t.cross_entropy(&flat, &target)
}

/// The loss of a class, or token, for each row: logits `[.., classes]` and as many labels.
pub(super) fn of_classes(t: &Tape, logits: &Tensor, labels: &Tensor) -> Tensor {
    t.scoped("loss", None, || {
        let classes = logits.dim(-1);
        let flat = t.view(logits, [logits.numel() / classes, classes]);
        let target = t.view(labels, [labels.numel()]);
        t.cross_entropy(&flat, &target)
    })
}
