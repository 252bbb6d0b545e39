//! `SFTTrainer`: the mean log-probability of the next token.

use super::evaluation::one_number;
use super::{Computed, Trainer};
use crate::ask::LossType;
use crate::families::{Batch, Model};
use crate::tape::TokenOutputs;
use crate::units::{DType, Shape};

/// `SFTTrainer.compute_loss`, whose number of tokens comes with the step.
pub(super) fn loss(trainer: &Trainer<'_>, model: &Model, batch: &Batch) -> Option<Computed> {
    let t = trainer.tape;
    let outputs = TokenOutputs {
        entropy: true,
        is_top1: true,
        ..TokenOutputs::default()
    };
    let output = trainer.scores(model, batch, outputs);
    let log_probs = output.beside.first()?;
    let mut losses = t.neg(log_probs);
    if trainer.spec.objective.loss() == Some(LossType::Dft) {
        losses = t.mul(&losses, &t.exp(log_probs).detach());
    }
    // How many tokens are scored, where that does not come with the step.
    let counted = (!trainer.batches.train).then(|| t.empty("sum", Shape::new(&[]), DType::Int64));
    let mean = {
        let sum = t.sum_all(&losses);
        let count = t.empty("clamp", Shape::new(&[]), DType::Int64);
        t.div_by(&sum, &count)
    };
    let weighted = trainer
        .balance(&output)
        .map(|balance| t.mul_scalar(balance));
    // Times the number of processes.
    let mut loss = if trainer.batches.train {
        t.mul_scalar(&mean)
    } else {
        mean.clone()
    };
    drop(mean);
    if let Some(weighted) = &weighted {
        loss = t.add(&loss, &t.div_scalar(weighted));
    }
    // How many tokens, their entropy, and how many are right.
    let logits = trainer.predicted(model, batch, &[one_number(); 3]);
    drop(counted);
    Some(Computed { loss, logits })
}
