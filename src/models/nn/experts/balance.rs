//! The loss that balances the experts of a mixture (`load_balancing_loss_func` of
//! `models/mixtral/modeling_mixtral.py`, transformers 5.23, 4.51 and 4.48).

use crate::model::{Experts, Transformers};
use crate::nn::build::Facts;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// The loss of the routers' logits `[N, E]`, one for each layer; padding is left out if there is any.
pub(crate) fn loss(
    t: &Tape,
    facts: Facts,
    logits: &[Tensor],
    experts: &Experts,
    padded: bool,
) -> Tensor {
    if facts.transformers == Transformers::V5 {
        by_layer(t, logits, experts, padded)
    } else {
        at_once(t, logits, experts, padded)
    }
}

/// Whether the loss that balances experts needs the logits of all layers at once, so that no layer can represent
/// others.
pub(crate) fn joins(experts: &Experts, facts: Facts) -> bool {
    experts.balanced && facts.transformers != Transformers::V5
}

/// Since transformers 5: how many tokens each expert gets and how likely it is are summed layer by
/// layer.
fn by_layer(t: &Tape, logits: &[Tensor], experts: &Experts, padded: bool) -> Tensor {
    let zeros = || t.empty("zeros", Shape::from([experts.count]), DType::Float32);
    let (mut tokens, mut likely) = (zeros(), zeros());
    let mut held: [Option<Tensor>; 3] = Default::default();
    let tokens_of =
        |layer: &Tensor| t.empty("_to_copy", Shape::from([layer.dim(0), 1]), DType::Float32);
    let mask = logits.first().filter(|_| padded).map(tokens_of);
    let mut rows: Option<Tensor> = None;
    for layer in logits {
        let weights = t.softmax(layer, None);
        held[0] = Some(weights.clone());
        let (values, chosen) = t.topk(&weights, experts.per_token);
        held[1] = Some(values);
        held[2] = Some(chosen.clone());
        tokens = {
            let found = if padded {
                let found = zeros();
                drop(t.empty("clone", Shape::from([chosen.numel()]), DType::Float32));
                found
            } else {
                let _narrow = t.empty("_to_copy", Shape::from([chosen.numel()]), DType::Int32);
                t.empty("histc", Shape::from([experts.count]), DType::Int32)
            };
            t.add(&tokens, &found)
        };
        likely = {
            let sum = {
                let wide = t.to(&weights, DType::Float32);
                let counted = match &mask {
                    Some(mask) => t.mul(&wide, mask),
                    None => wide.clone(),
                };
                drop(wide);
                t.sum_dim(&counted, 0, false)
            };
            t.add(&likely, &sum)
        };
        if let Some(mask) = &mask {
            let sum = t.sum_all(mask);
            rows = Some(t.add_scalar(&sum));
        }
    }
    let mean = |x: &Tensor| match &rows {
        Some(rows) => t.div_by(x, rows),
        None => t.div_scalar(x),
    };
    let share = mean(&tokens);
    let probability = mean(&likely);
    let sum = {
        let product = t.mul(&share, &t.unsqueeze(&probability, 0));
        t.sum_all(&product)
    };
    let loss = t.mul_scalar(&sum);
    drop((tokens, likely, held, share, probability));
    loss
}

/// Before: for the logits of all layers, one after the other.
fn at_once(t: &Tape, logits: &[Tensor], experts: &Experts, padded: bool) -> Tensor {
    let parts: Vec<&Tensor> = logits.iter().collect();
    let all = t.cat(&parts, 0);
    let weights = t.softmax(&all, None);
    let (values, chosen) = t.topk(&weights, experts.per_token);
    let (rows, k) = (all.dim(0), experts.per_token);
    let shape = Shape::from([rows, k, experts.count]);
    let mask = t.empty("one_hot", shape, DType::Int64);
    // The padding mask of the batch, in 8-byte numbers, is copied for several layers only: spread over
    // one it can be seen as the rows that are asked for.
    let spread = |shape: Shape| {
        padded.then(|| match logits {
            [_] => t.expand(&t.empty("mask", Shape::from([0]), DType::Int64), shape),
            _ => t.empty("clone", shape, DType::Int64),
        })
    };
    let counted = spread(shape);
    let share = {
        let sum = {
            let mut wide = t.empty("_to_copy", *mask.shape(), DType::Float32);
            if let Some(counted) = &counted {
                wide = t.mul(&wide, counted);
            }
            let shape = Shape::from([1, k, experts.count]);
            t.reduce("mean", &wide, shape, DType::Float32)
        };
        let mean = match &counted {
            Some(counted) => {
                let _tokens = t.reduce("sum", counted, *sum.shape(), DType::Int64);
                t.empty("div", *sum.shape(), DType::Float32)
            }
            None => sum,
        };
        t.select(&mean, 0)
    };
    let counted_weights = spread(*weights.shape());
    let probability = match &counted_weights {
        Some(counted) => {
            let sum = {
                let product = t.mul(&weights, counted);
                t.sum_dim(&product, 0, true)
            };
            let tokens = t.reduce("sum", counted, *sum.shape(), DType::Int64);
            t.div_by(&sum, &tokens)
        }
        None => t.mean_first(&weights),
    };
    let sum = {
        let product = t.mul(&share, &probability);
        t.sum_all(&product)
    };
    let loss = t.mul_scalar(&sum);
    drop((all, weights, values, chosen, mask, counted, share));
    drop((counted_weights, probability));
    loss
}
