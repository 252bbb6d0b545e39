//! `DPOTrainer`: how much more the model prefers chosen completions to rejected ones than a reference does.

use super::evaluation::one_number;
use super::pairs::Compared;
use super::{Computed, Trainer};
use crate::families::{Batch, Model};
use crate::nn::Output;
use crate::sim::Phase;
use crate::tape::{Tensor, TokenOutputs};
use crate::units::{DType, Shape};

/// Outputs of the trained model's head.
const OUTPUTS: TokenOutputs = TokenOutputs {
    entropy: true,
    mean_logits: true,
    is_top1: true,
};

/// The log-probabilities `[B]` of the chosen and of the rejected completions.
fn of_pairs(trainer: &Trainer<'_>, output: &Output) -> Option<[Tensor; 2]> {
    let t = trainer.tape;
    // log_probs[:, -seq_len:]
    let kept = t.whole_slice(output.beside.first()?);
    let sums = t.sum_dim(&kept, 1, false);
    let pairs = sums.dim(0) / 2;
    Some(t.split(&sums, [pairs, pairs], 0))
}

/// `DPOTrainer._compute_loss` of one `loss_type`.
pub(super) fn loss(
    trainer: &Trainer<'_>,
    model: &Model,
    batch: &Batch,
    mark: &mut dyn FnMut(Phase),
) -> Option<Computed> {
    let t = trainer.tape;
    let completions = batch.labels.as_ref()?;
    let batch = Batch {
        labels: trainer.labels_of(completions),
        ..batch.clone()
    };
    let output = trainer.scores(model, &batch, OUTPUTS);
    let [chosen, rejected] = of_pairs(trainer, &output)?;
    let (reference, [of_chosen, of_rejected]) = if trainer.spec.objective.has_reference() {
        mark(Phase::ReferenceForward);
        let reference = trainer.refers(model, &batch, OUTPUTS);
        mark(Phase::Forward);
        let pairs = of_pairs(trainer, &reference)?;
        (Some(reference), pairs)
    } else {
        let [chosen, rejected] = &batch.beside[..] else {
            return None;
        };
        (None, [chosen.clone(), rejected.clone()])
    };
    let ratios = [t.sub(&chosen, &of_chosen), t.sub(&rejected, &of_rejected)];
    let difference = t.sub(&ratios[0], &ratios[1]);
    let scored = Compared {
        log_probs: [[&chosen, &rejected], [&of_chosen, &of_rejected]],
        ratios: ratios.each_ref(),
        difference: &difference,
        tokens: output.beside.first()?,
        completions,
    };
    let losses = scored.losses(t, trainer.spec.objective.loss()?, trainer.scored());
    let mut loss = {
        let mean = t.mean_all(&losses);
        let weighted = t.mul_scalar(&mean);
        t.add_scalar(&weighted)
    };
    if let Some(balance) = trainer.balance(&output) {
        loss = t.add(&loss, &t.mul_scalar(balance));
    }
    trainer.logs_logits(&output, [difference.dim(0); 2], false);
    let logits = {
        let of_pairs = (*difference.shape(), DType::Float32);
        let tokens = Shape::from([difference.dim(0), completions.dim(1) - 1]);
        // Entropy and counts of tokens; which are right; rewards, their margins, and which are right.
        let mut metrics = vec![one_number(); 4];
        metrics.push((tokens, DType::Bool));
        let named = 4 + Compared::named(trainer.spec.objective.loss()?);
        metrics.extend((0..named).map(|_| of_pairs));
        trainer.predicted(model, &batch, &metrics)
    };
    drop((output, reference, ratios, difference, losses));
    Some(Computed { loss, logits })
}
