//! `SFTTrainer`: the mean log-probability of the next token.

use super::Trainer;
use crate::families::{Batch, Model};
use crate::tape::{Tensor, TokenOutputs};
use crate::units::{DType, Shape};

/// `SFTTrainer.compute_loss` of `loss_type="nll"`, whose number of tokens comes with the step.
pub(super) fn loss(trainer: &Trainer<'_>, model: &Model, batch: &Batch) -> Option<Tensor> {
    let t = trainer.tape;
    let outputs = TokenOutputs {
        entropy: true,
        is_top1: true,
        ..TokenOutputs::default()
    };
    let output = trainer.scores(model, batch, outputs);
    let negative = t.neg(output.beside.first()?);
    let mean = {
        let sum = t.sum_all(&negative);
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
