//! LLaMA-Factory's KTO: chosen and rejected logits are copied, and completions of other prompts come after a batch's own.
//!
//! Source: `train/kto/trainer.py`, LLaMA-Factory 0.9.5.

use super::{Computed, Trainer, kto};
use crate::families::{Batch, Model};
use crate::sim::Phase;
use crate::tape::{Tensor, TokenOutputs};

/// The results of `concatenated_forward`.
struct Forwarded {
    /// Log-probabilities of completions that are wanted, and of the others.
    log_probs: [Tensor; 2],
    /// Log-probabilities of completions of other prompts.
    of_others: Tensor,
    /// Logits `[n, S, V]` of either group.
    _logits: [Tensor; 2],
}

/// `concatenated_forward` of the trained model, or of its reference.
fn forwarded(
    trainer: &Trainer<'_>,
    model: &Model,
    batch: &Batch,
    refers: bool,
) -> Option<Forwarded> {
    let t = trainer.tape;
    let outputs = TokenOutputs::default();
    let own = kto::labelled(trainer, batch.ids(), batch.mask()?, batch.labels.as_ref()?);
    let output = if refers {
        trainer.refers(model, &own, outputs)
    } else {
        trainer.scores(model, &own, outputs)
    };
    let grad_mode = refers.then(|| t.set_grad_enabled(false));
    let sums = t.sum_dim(output.beside.first()?, 1, false);
    let of_others = kto::of_others(trainer, model, batch, refers)?;
    let samples = batch.ids().dim(0);
    let wanted = samples.div_ceil(2);
    let groups = [wanted, samples - wanted].map(|count| t.numbers_of_set(samples, count));
    let logits = output.logits.as_ref()?;
    // Logged alone: no gradient comes back.
    let rows = |group: &Tensor| {
        let mut shape = *logits.shape();
        shape.dims_mut()[0] = group.numel();
        t.empty("index", shape, logits.dtype())
    };
    let forwarded = Forwarded {
        log_probs: groups.each_ref().map(|group| t.index_select(&sums, group)),
        _logits: groups.each_ref().map(rows),
        of_others,
    };
    if let Some(grad_mode) = grad_mode {
        t.set_grad_enabled(grad_mode);
    }
    Some(forwarded)
}

/// `get_batch_loss_metrics`, half of whose samples are wanted.
pub(super) fn loss(
    trainer: &Trainer<'_>,
    model: &Model,
    batch: &Batch,
    mark: &mut dyn FnMut(Phase),
) -> Option<Computed> {
    let t = trainer.tape;
    let policy = forwarded(trainer, model, batch, false)?;
    mark(Phase::ReferenceForward);
    let Forwarded {
        log_probs,
        of_others,
        ..
    } = forwarded(trainer, model, batch, true)?;
    mark(Phase::Forward);
    let divergence = kto::divergence(t, &policy.of_others, &of_others);
    let ratios = [0, 1].map(|i| t.sub(&policy.log_probs[i], &log_probs[i]));
    let losses = kto::losses_beside(t, &ratios, &divergence);
    let weighted = kto::weighted(t, &losses);
    Some(t.mean_of_numbers(&weighted).into())
}
