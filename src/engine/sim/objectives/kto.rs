//! `KTOTrainer`: completions that are wanted and others that are not, against a reference, and how far the model has
//! gone from it at all, by completions of other prompts.

use super::evaluation::one_number;
use super::{Computed, Trainer};
use crate::families::{Batch, Model};
use crate::sim::Phase;
use crate::tape::{Tape, Tensor, TokenOutputs};
use crate::units::{DType, Shape};

/// Outputs of the trained model's head.
const OUTPUTS: TokenOutputs = TokenOutputs {
    entropy: true,
    mean_logits: true,
    is_top1: false,
};

/// A batch with labels of its completions alone.
pub(super) fn labelled(
    trainer: &Trainer<'_>,
    ids: &Tensor,
    mask: &Tensor,
    completions: &Tensor,
) -> Batch {
    Batch {
        padding_mask: Some(mask.clone()),
        labels: trainer.labels_of(completions),
        ..Batch::of(ids.clone())
    }
}

/// `_compute_kl_logps` of the trained model or of its reference: sums `[B]` for completions of other prompts.
pub(super) fn of_others(
    trainer: &Trainer<'_>,
    model: &Model,
    batch: &Batch,
    refers: bool,
) -> Option<Tensor> {
    let t = trainer.tape;
    let [ids, mask, completions, ..] = &batch.beside[..] else {
        return None;
    };
    let batch = labelled(trainer, ids, mask, completions);
    let output = if refers {
        trainer.refers(model, &batch, OUTPUTS)
    } else {
        let grad_mode = t.set_grad_enabled(false);
        let output = trainer.scores_alone(model, &batch, OUTPUTS);
        t.set_grad_enabled(grad_mode);
        output
    };
    let log_probs = output.beside.first()?.clone();
    drop(output);
    Some(t.sum_dim(&log_probs.detach(), 1, false))
}

/// How far the model has gone from its reference, by sums `[B]` of either for completions of other prompts; none is less
/// than zero.
pub(super) fn divergence(t: &Tape, of_policy: &Tensor, of_reference: &Tensor) -> Tensor {
    let mean = t.mean_all(&t.sub(of_policy, of_reference));
    t.empty("clamp", *mean.shape(), mean.dtype())
}

/// The losses of completions that are wanted and of others, of their log-ratios beside the divergence.
pub(super) fn losses_beside(
    t: &Tape,
    [chosen, rejected]: &[Tensor; 2],
    divergence: &Tensor,
) -> [Tensor; 2] {
    let further = [t.sub(chosen, divergence), t.sub(divergence, rejected)];
    further.map(|ratio| t.rsub_scalar(&t.sigmoid(&t.mul_scalar(&ratio))))
}

/// The losses of either group, weighted, in one.
pub(super) fn weighted(t: &Tape, losses: &[Tensor; 2]) -> Tensor {
    let [chosen, rejected] = losses.each_ref().map(|losses| t.mul_scalar(losses));
    t.cat(&[&chosen, &rejected], 0)
}

/// `KTOTrainer._compute_loss`, half of whose samples are wanted.
pub(super) fn loss(
    trainer: &Trainer<'_>,
    model: &Model,
    batch: &Batch,
    mark: &mut dyn FnMut(Phase),
) -> Option<Computed> {
    let t = trainer.tape;
    let samples = batch.ids().dim(0);
    let number = |op| t.empty(op, Shape::new(&[]), DType::Int64);
    let counts = [number("sum"), number("rsub")];
    let diverges = trainer.spec.objective.has_divergence();
    let of_policy = if diverges {
        mark(Phase::ReferenceForward);
        let of_policy = of_others(trainer, model, batch, false)?;
        mark(Phase::Forward);
        Some(of_policy)
    } else {
        None
    };
    let own = labelled(trainer, batch.ids(), batch.mask()?, batch.labels.as_ref()?);
    let output = trainer.scores(model, &own, OUTPUTS);
    let sums = t.sum_dim(&t.whole_slice(output.beside.first()?), 1, false);
    let wanted = samples.div_ceil(2);
    let groups = [wanted, samples - wanted].map(|count| t.numbers_of_set(samples, count));
    let taken = |sums: &Tensor| groups.each_ref().map(|group| t.index_select(sums, group));
    let log_probs = taken(&sums);
    let (reference, of_reference, others) = if trainer.spec.objective.has_reference() {
        mark(Phase::ReferenceForward);
        let others = if diverges {
            Some(of_others(trainer, model, batch, true)?)
        } else {
            None
        };
        let reference = trainer.refers(model, &own, OUTPUTS);
        mark(Phase::Forward);
        let sums = t.sum_dim(reference.beside.first()?, 1, false);
        (Some(reference), sums, others)
    } else if diverges {
        let [.., sums, others] = &batch.beside[..] else {
            return None;
        };
        (None, sums.clone(), Some(others.clone()))
    } else {
        (None, batch.beside.last()?.clone(), None)
    };
    let references = taken(&of_reference);
    let how_far = of_policy.as_ref().zip(others.as_ref()).map_or_else(
        || t.empty("_to_copy", Shape::from([1]), DType::Float32),
        |(of_policy, others)| divergence(t, of_policy, others),
    );
    let [chosen, rejected] = &log_probs;
    let [of_chosen, of_rejected] = &references;
    let ratios = [t.sub(chosen, of_chosen), t.sub(rejected, of_rejected)];
    let losses = if diverges {
        losses_beside(t, &ratios, &how_far)
    } else {
        let [wanted, unwanted] = (ratios.each_ref()).map(|ratio| t.sigmoid(&t.mul_scalar(ratio)));
        [t.rsub_scalar(&wanted), unwanted]
    };
    let weighted = weighted(t, &losses);
    let mut loss = t.mean_of_numbers(&weighted);
    if let Some(balance) = trainer.balance(&output) {
        loss = t.add(&loss, &t.mul_scalar(balance));
    }
    trainer.logs_logits(&output, [wanted, samples - wanted], true);
    let logits = {
        // Rewards of each group; the mean logit of its tokens, and which are of completions.
        let of_group = |group: &Tensor| {
            let tokens = Shape::from([group.dim(0), own.ids().dim(1) - 1]);
            [
                (*group.shape(), DType::Float32),
                (tokens, DType::Float32),
                (tokens, DType::Int64),
            ]
        };
        let mut metrics: Vec<_> = groups.iter().flat_map(of_group).collect();
        // Their entropy and count.
        metrics.extend([one_number(); 2]);
        trainer.predicted(model, &own, &metrics)
    };
    drop((
        counts,
        of_policy,
        own,
        output,
        sums,
        log_probs,
        reference,
        of_reference,
        others,
    ));
    Some(Computed { loss, logits })
}
