//! DPO as torchtune's recipe makes a step (`recipes/lora_dpo_single_device.py`, `rlhf/sequence_processing.py`, torchtune
//! 0.6.1): log-probabilities are computed from all logits, and those of the reference stay until its next ones are there.

use super::{Computed, Trainer};
use crate::families::{Batch, Model};
use crate::nn::Request;
use crate::sim::Phase;
use crate::tape::Tensor;
use crate::units::DType;

/// The loss of a micro-batch; `mark` is told of phases.
pub(super) fn loss(
    trainer: &mut Trainer<'_>,
    model: &Model,
    batch: &Batch,
    mark: &mut dyn FnMut(Phase),
) -> Option<Computed> {
    let t = trainer.tape;
    let (policy, logits) = concatenated_forward(trainer, model, batch, Request::default())?;
    for half in halves(trainer, &logits) {
        drop(t.mean_all(&half.detach()));
    }
    drop(logits);
    let reference = {
        mark(Phase::ReferenceForward);
        let grad_mode = t.set_grad_enabled(false);
        let own = trainer.reference.as_ref().map(|(reference, _)| reference);
        let request = Request {
            without_adapters: own.is_none(),
            ..Request::default()
        };
        let asked = own.unwrap_or(model);
        let (sums, logits) = concatenated_forward(trainer, asked, batch, request)?;
        t.set_grad_enabled(grad_mode);
        // The recipe names logits that it does not read `_`, which holds them until it is assigned again.
        trainer.unread = Some(logits);
        mark(Phase::Forward);
        sums
    };
    let [[chosen, rejected], [of_chosen, of_rejected]] =
        [&policy, &reference].map(|sums| halves(trainer, sums));
    let ratios = [t.sub(&chosen, &rejected), t.sub(&of_chosen, &of_rejected)];
    let difference = t.sub(&ratios[0], &ratios[1]);
    let losses = t.neg(&t.logsigmoid(&t.mul_scalar(&difference)));
    Some(Computed::from(t.mean_all(&losses)))
}

/// The chosen and the rejected samples of a batch.
fn halves(trainer: &Trainer<'_>, x: &Tensor) -> [Tensor; 2] {
    let pairs = x.dim(0) / 2;
    [(0, pairs), (pairs, 2 * pairs)].map(|(from, to)| trainer.tape.slice(x, 0, from, to))
}

/// Sums of log-probabilities `[2 P]` of the tokens of each sample, and all logits `[2 P, S, V]`.
fn concatenated_forward(
    trainer: &Trainer<'_>,
    model: &Model,
    batch: &Batch,
    request: Request,
) -> Option<(Tensor, Tensor)> {
    let t = trainer.tape;
    let given = batch.labels.as_ref()?;
    let read = Batch {
        labels: None,
        ..batch.clone()
    };
    let logits = trainer.asks(model, &read, request).logits?;
    let tokens = given.dim(1);
    let labels = t.clone_contiguous(&t.slice(given, 1, 1, tokens));
    let shifted = t.slice(&logits, 1, 0, tokens - 1);
    let mask = t.empty("ne", *labels.shape(), DType::Bool);
    let index = t.unsqueeze(&labels, 2);
    let picked = {
        let log_probs = t.log_softmax(&{ t.div_scalar(&shifted) });
        t.gather(&log_probs, &index)
    };
    let picked = t.view(&picked, *labels.shape());
    let sums = t.sum_dim(&t.mul(&picked, &mask), 1, false);
    Some((sums, logits))
}
