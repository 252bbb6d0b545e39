//! The head that TRL's trainers give a language model: log-probabilities of the tokens that labels name, without
//! all logits.
//!
//! Source: trl 1.16.0, `trainer/utils.py` (`add_fused_lm_head`).

use crate::nn::build::{Linear, Output, Scored};
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// Final hidden states `[B, S, H]` and labels `[B, S]` to the mean loss and, beside it, `[B, S - 1]` each:
/// log-probabilities, what else is asked for, and which labels are not ignored.
pub(crate) fn scored(
    t: &Tape,
    (hidden, head): (&Tensor, &Linear),
    labels: &Tensor,
    asked: Scored,
) -> Option<Output> {
    let weight = head.weight()?;
    let (b, s) = (hidden.dim(0), hidden.dim(1));
    let shifted = t.slice(hidden, 1, 0, s - 1);
    let next = t.slice(labels, 1, 1, s);
    let mask = t.empty("ne", Shape::from([b, s - 1]), DType::Bool);
    let n = b * asked.tokens.min(s - 1);
    let outputs = {
        let rows = t.flagged_rows(&shifted, &mask, n);
        let targets = t.flagged_numbers(&next, &mask, n);
        let bias = head.bias();
        t.chunked_log_probs(&rows, (weight, bias.as_ref()), &targets, asked.outputs)
    };
    let mut beside: Vec<Tensor> = outputs
        .iter()
        .map(|x| t.scattered_numbers(x, &mask))
        .collect();
    drop(outputs);
    let loss = {
        let negative = {
            let sum = t.sum_all(&beside[0]);
            t.neg(&sum)
        };
        let number = |op| t.empty(op, Shape::new(&[]), DType::Int64);
        let count = {
            let sum = number("sum");
            drop(t.empty("sum", *mask.shape(), DType::Int64));
            let count = number("clamp");
            drop(sum);
            count
        };
        t.div_by(&negative, &count)
    };
    beside.push(mask);
    Some(Output {
        logits: None,
        loss: Some(loss),
        encoded: None,
        beside,
    })
}
