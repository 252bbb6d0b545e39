//! The heads of encoders: from hidden states to scores of tokens or classes, and the loss.

use super::activation::activated;
use super::attention::dropped;
use super::builder::Builder;
use super::facts::Facts;
use super::layers::{LayerNorm, Linear};
use super::loss;
use super::model::Output;
use crate::spec::Activation;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// `act(dense(x))`, with a norm over it where there is one.
pub(super) struct Transform {
    pub(super) dense: Linear,
    pub(super) activation: Activation,
    pub(super) norm: Option<LayerNorm>,
}

impl Transform {
    /// `[.., H]` to `[.., H']`.
    pub(super) fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        let bent = activated(t, self.activation, self.dense.forward(t, x));
        match &self.norm {
            Some(norm) => norm.forward(t, &bent),
            None => bent,
        }
    }
}

/// Which of the hidden states a head reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reads {
    /// All of them.
    All,
    /// Those of the first token.
    First,
    /// Their mean over the tokens that are no padding.
    Mean,
}

/// How a head's loss is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HeadLoss {
    /// From logits in the dtype that they have.
    Classes,
    /// From logits in float32 (`ForMaskedLMLoss`).
    Wide,
}

/// A head: what it reads of the hidden states, what it makes of that, and its last layer.
pub(super) struct Head {
    pub(super) reads: Reads,
    pub(super) transform: Option<Transform>,
    /// Whether what the last layer reads is dropped out.
    pub(super) dropout: bool,
    /// Whether that stays in a local variable.
    pub(super) holds: bool,
    pub(super) output: Linear,
    pub(super) loss: HeadLoss,
}

impl Head {
    /// Hidden states `[B, S, H]` to logits `[B, S, V]`, `[B, S, classes]` or `[B, classes]` and, from
    /// labels, the loss. `mask` `[B, S]` is that of padding, if one came with the batch.
    pub(super) fn forward(
        &self,
        t: &Tape,
        facts: Facts,
        (hidden, mask): (&Tensor, Option<&Tensor>),
        labels: Option<&Tensor>,
    ) -> Output {
        let (logits, held) = t.scoped("head", None, || self.logits(t, facts, hidden, mask));
        let loss = labels.map(|labels| match self.loss {
            HeadLoss::Classes => loss::of_classes(t, &logits, labels),
            HeadLoss::Wide => {
                let wide = t.to(&logits, DType::Float32);
                loss::of_classes(t, &wide, labels)
            }
        });
        drop(held);
        Output {
            logits: Some(logits),
            loss,
            encoded: None,
            beside: Vec::new(),
        }
    }

    /// The logits, and what stays in local variables besides.
    fn logits(
        &self,
        t: &Tape,
        facts: Facts,
        hidden: &Tensor,
        mask: Option<&Tensor>,
    ) -> (Tensor, Vec<Tensor>) {
        let mut held = Vec::new();
        let read = match self.reads {
            Reads::All => hidden.clone(),
            // hidden_states[:, 0]
            Reads::First => t.select(&facts.index_all(t, hidden, 1), 1),
            Reads::Mean => {
                let (mean, mask) = mean(t, hidden, mask);
                held.extend([mean.clone(), mask]);
                mean
            }
        };
        let x = match &self.transform {
            Some(transform) => transform.forward(t, &read),
            None => read,
        };
        let x = dropped(t, x, self.dropout);
        let logits = self.output.forward(t, &x);
        if self.holds {
            held.push(x);
        }
        (logits, held)
    }
}

/// The mean of hidden states `[B, S, H]` over the tokens of the mask `[B, S]`, or all; and that mask.
fn mean(t: &Tape, hidden: &Tensor, mask: Option<&Tensor>) -> (Tensor, Tensor) {
    let size = [hidden.dim(0), hidden.dim(1)];
    let mask = match mask {
        Some(mask) => mask.clone(),
        None => t.empty("ones", Shape::from(size), DType::Bool),
    };
    let sum = {
        let weighted = t.mul(hidden, &t.unsqueeze(&mask, 2));
        t.sum_dim(&weighted, 1, false)
    };
    let count = counted(t, &mask);
    (t.div_by(&sum, &count), mask)
}

/// `mask.sum(dim=1, keepdim=True)`: flags are cast to whole numbers first.
fn counted(t: &Tape, mask: &Tensor) -> Tensor {
    let rows = Shape::from([mask.dim(0), 1]);
    if mask.dtype() == DType::Int64 {
        return t.reduce("sum", mask, rows, DType::Int64);
    }
    let sum = t.empty("sum", rows, DType::Int64);
    drop(t.empty("sum", *mask.shape(), DType::Int64));
    sum
}

/// The linear layer `name` with a bias that gives `classes`.
pub(super) fn classifier(b: &Builder, name: &'static str, hidden: u64, classes: u64) -> Linear {
    Linear::new(&b.at(name), hidden, classes, true)
}
