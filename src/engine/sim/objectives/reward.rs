//! `RewardTrainer`: the number that a model gives chosen completions, against that of rejected ones.

use super::{Computed, Trainer};
use crate::families::{Batch, Model};
use crate::nn::Request;

/// `RewardTrainer.compute_loss` of pairs without margins.
pub(super) fn loss(trainer: &Trainer<'_>, model: &Model, batch: &Batch) -> Option<Computed> {
    let t = trainer.tape;
    let output = trainer.asks(model, batch, Request::default());
    let logits = output.logits.as_ref()?;
    let rewards = t.view(logits, [logits.numel()]);
    let pairs = logits.numel() / 2;
    let [chosen, rejected] = t.split(&rewards, [pairs, pairs], 0);
    let mean = t.mean_all(&t.logsigmoid(&t.sub(&chosen, &rejected)));
    let loss = t.neg(&mean);
    Some(Computed {
        loss,
        logits: output.logits,
    })
}
