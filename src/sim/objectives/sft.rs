//! `SFTTrainer`: the mean log-probability of the next token.

use super::Trainer;
use crate::ask::LossType;
use crate::families::{Batch, Model};
use crate::tape::{Tensor, TokenOutputs};
use crate::units::{DType, Shape};

/// `SFTTrainer.compute_loss`, whose number of tokens comes with the step.
pub(super) fn loss(trainer: &Trainer<'_>, model: &Model, batch: &Batch) -> Option<Tensor> {
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
    let mean = {
        let sum = t.sum_all(&losses);
        let count = t.empty("clamp", Shape::new(&[]), DType::Int64);
        t.div_by(&sum, &count)
    };
    let weighted = trainer
        .balance(&output)
        .map(|balance| t.mul_scalar(balance));
    // Times the number of processes.
    let loss = t.mul_scalar(&mean);
    drop(mean);
    Some(match &weighted {
        Some(weighted) => t.add(&loss, &t.div_scalar(weighted)),
        None => loss,
    })
}
