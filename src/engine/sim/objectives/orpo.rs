//! `ORPOTrainer` and `CPOTrainer`: how much more the model prefers chosen completions to rejected ones, beside the
//! likelihood of the chosen ones. Both compute all logits.
//!
//! Source: trl 1.16.0, `experimental/{orpo,cpo}/*_trainer.py`.

use super::Trainer;
use crate::ask::LossType;
use crate::families::{Batch, Model};
use crate::nn::loss;
use crate::nn::{Facts, Request};
use crate::tape::Tensor;
use crate::units::{DType, Shape};

/// `log1mexp` of `[B]`, by one of two ways for each.
fn log_1m_exp(trainer: &Trainer<'_>, x: &Tensor) -> Tensor {
    let t = trainer.tape;
    let small = t.empty("lt", *x.shape(), DType::Bool);
    let far = t.log1p(&t.neg(&t.exp(x)));
    let near = t.log(&t.neg(&t.expm1(x)));
    t.where_either(&small, &far, &near)
}

/// `CPOTrainer.cpo_loss` of differences `[B]`, without label smoothing.
fn of_differences(trainer: &Trainer<'_>, difference: &Tensor) -> Tensor {
    let t = trainer.tape;
    let loss = trainer.spec.objective.loss();
    match loss {
        Some(LossType::Hinge) => t.relu(&t.rsub_scalar(&t.mul_scalar(difference))),
        Some(LossType::Ipo) => t.square(&t.add_scalar(difference)),
        _ => {
            let margin = (loss == Some(LossType::Simpo)).then(|| t.add_scalar(difference));
            let difference = margin.as_ref().unwrap_or(difference);
            let scaled = |x: &Tensor| t.logsigmoid(&t.mul_scalar(x));
            let wanted = t.mul_scalar(&t.neg(&scaled(difference)));
            let unwanted = t.mul_scalar(&scaled(difference));
            t.sub(&wanted, &unwanted)
        }
    }
}

/// `get_batch_loss_metrics` of either, by `odds` that of ORPO, of CPO where not.
pub(super) fn loss(
    trainer: &Trainer<'_>,
    model: &Model,
    batch: &Batch,
    odds: bool,
) -> Option<Tensor> {
    let (t, spec) = (trainer.tape, trainer.spec);
    let (pairs, s) = (batch.ids().dim(0), spec.seq_len);
    let whole = Shape::from([2 * pairs, s]);
    let joined = || t.empty("cat", whole, DType::Int64);
    // `concatenated_inputs`.
    let (ids, mask, labels) = (joined(), joined(), joined());
    let asked = Batch {
        padding_mask: Some(mask),
        ..Batch::of(ids)
    };
    let output = trainer.asks(model, &asked, Request::default());
    let logits = output.logits.clone()?;
    let replaced = |labels: Tensor| {
        let same = t.empty("eq", *labels.shape(), DType::Bool);
        if !odds {
            return labels;
        }
        let number = t.empty("scalar_tensor", Shape::new(&[]), DType::Int64);
        let replaced = t.empty("where", *labels.shape(), DType::Int64);
        drop((number, same, labels));
        replaced
    };
    let copied = t.clone_contiguous(&labels);
    let targets = if odds { replaced(copied) } else { copied };
    let likelihood = {
        let chosen = t.slice(&logits, 0, 0, pairs);
        let targets = t.slice(&targets, 0, 0, pairs);
        loss::copied_next_token(t, Facts::of(spec), &chosen, &targets)
    };
    // `get_batch_logps`.
    let sums = {
        let next = t.clone_contiguous(&t.slice(&labels, 1, 1, s));
        let counted = t.empty("ne", *next.shape(), DType::Bool);
        let next = replaced(next);
        let shifted = t.slice(&logits, 1, 0, s - 1);
        let log_probs = t.selected_log_probs(&shifted, &next);
        let sums = t.sum_dim(&t.mul(&log_probs, &counted), 1, false);
        let loss = spec.objective.loss();
        if odds || matches!(loss, Some(LossType::Ipo | LossType::Simpo)) {
            let rows = Shape::from([2 * pairs]);
            let count = t.reduce("sum", &counted, rows, DType::Int64);
            t.div_by(&sums, &count)
        } else {
            sums
        }
    };
    drop((output, logits, asked, labels, targets));
    let chosen = t.slice(&sums, 0, 0, pairs);
    let rejected = t.slice(&sums, 0, pairs, 2 * pairs);
    let difference = t.sub(&chosen, &rejected);
    let loss = if odds {
        let others = {
            let [chosen, rejected] = [&chosen, &rejected].map(|x| log_1m_exp(trainer, x));
            t.sub(&chosen, &rejected)
        };
        let log_odds = t.sub(&difference, &others);
        let losses = t.mul_scalar(&t.logsigmoid(&log_odds));
        t.sub(&likelihood, &t.mean_all(&losses))
    } else {
        let losses = of_differences(trainer, &difference);
        t.add(&t.mean_all(&losses), &t.mul_scalar(&likelihood))
    };
    drop((sums, likelihood, difference));
    Some(loss)
}
