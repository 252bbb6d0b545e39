//! The heads of encoders: from hidden states to scores of tokens or classes, and the loss.

use super::loss;
use crate::ask::Task;
use crate::model::Activation;
use crate::nn::attention::dropped;
use crate::nn::build::{Builder, Facts, LayerNorm, Linear, Output};
use crate::nn::mlp::activated;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// `act(dense(x))`, with a norm over it where there is one.
pub(crate) struct Transform {
    pub(crate) dense: Linear,
    pub(crate) activation: Activation,
    pub(crate) norm: Option<LayerNorm>,
}

impl Transform {
    /// `[.., H]` to `[.., H']`.
    pub(crate) fn forward(&self, t: &Tape, x: Tensor) -> Tensor {
        let dense = self.dense.forward(t, &x);
        drop(x);
        let bent = activated(t, self.activation, dense);
        match &self.norm {
            Some(norm) => norm.forward(t, &bent),
            None => bent,
        }
    }
}

/// The hidden states that a head reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reads {
    /// Hidden states of all tokens.
    All,
    /// Hidden states of the first token: `hidden_states[:, 0]`.
    First,
    /// Hidden states of the first token, written `hidden_states[:, 0, :]`.
    FirstColumns,
    /// The mean of the hidden states over the tokens that are no padding.
    Mean,
}

impl Reads {
    /// The part that it reads of hidden states `[B, S, H]`, and tensors in local variables; `mask` `[B, S]` is
    /// that of padding, if one came with the batch.
    pub(crate) fn of(
        self,
        t: &Tape,
        facts: Facts,
        hidden: &Tensor,
        mask: Option<&Tensor>,
    ) -> (Tensor, Vec<Tensor>) {
        let first = || t.select(&facts.index_all(t, hidden, 1), 1);
        match self {
            Self::All => (hidden.clone(), Vec::new()),
            Self::First => (first(), Vec::new()),
            Self::FirstColumns => (facts.index_all(t, &first(), 1), Vec::new()),
            Self::Mean => {
                let (mean, mask) = mean(t, hidden, mask);
                (mean.clone(), vec![mean, mask])
            }
        }
    }
}

/// How a head's loss is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HeadLoss {
    /// From logits in the dtype that they have.
    Classes,
    /// From logits in float32 (`ForMaskedLMLoss`).
    Wide,
    /// From the logits of samples that have a label (`DeBERTa`).
    Labelled,
    /// The loss of the next token.
    NextToken,
    /// The loss of where an answer begins and ends; places behind the text are cut in a copy or `in_place`.
    Spans { in_place: bool },
}

/// A head: what it reads of the hidden states, what it makes of that, and its last layer.
pub(crate) struct Head {
    /// Its name.
    pub(crate) name: &'static str,
    pub(crate) reads: Reads,
    /// Whether what the transform reads is dropped out.
    pub(crate) drops_first: bool,
    pub(crate) transform: Option<Transform>,
    /// Whether the input of the last layer is dropped out.
    pub(crate) dropout: bool,
    /// Whether the input of the last layer stays in a local variable.
    pub(crate) holds: bool,
    pub(crate) output: Linear,
    /// The bias of the last layer's result.
    pub(crate) bias: Option<Tensor>,
    pub(crate) loss: HeadLoss,
}

impl Head {
    /// A last layer alone, called `name`, over all that it is given.
    pub(crate) fn plain(name: &'static str, output: Linear, dropout: bool) -> Self {
        Self {
            name,
            reads: Reads::All,
            drops_first: false,
            transform: None,
            dropout,
            holds: true,
            output,
            bias: None,
            loss: HeadLoss::Classes,
        }
    }

    /// A class for each token, or where answers begin and end, as `task` asks: a last layer over hidden
    /// states of `hidden` columns.
    pub(crate) fn of_each(
        b: &Builder,
        task: Task,
        [hidden, classes]: [u64; 2],
        dropout: bool,
    ) -> Self {
        let spans = task == Task::QuestionAnswering;
        let name = if spans { "qa_outputs" } else { "classifier" };
        let output = Linear::new(&b.at(name), hidden, classes, true);
        let head = Self::plain(name, output, dropout);
        if spans { head.with_spans() } else { head }
    }

    /// Makes the two columns say where an answer begins and ends.
    pub(crate) fn with_spans(self) -> Self {
        Self {
            loss: HeadLoss::Spans { in_place: false },
            ..self
        }
    }

    /// Tokens, by a table of their own or the embedding's.
    pub(crate) fn of_tokens(name: &'static str, transform: Transform, output: Linear) -> Self {
        Self {
            transform: Some(transform),
            holds: false,
            ..Self::plain(name, output, false)
        }
    }

    /// Hidden states `[B, S, H]`, or their pooled form `[B, H]`, to logits `[B, S, V]`,
    /// `[B, S, classes]` or `[B, classes]` and, from labels, the loss.
    pub(crate) fn forward(
        &self,
        t: &Tape,
        facts: Facts,
        (hidden, mask): (&Tensor, Option<&Tensor>),
        labels: Option<&Tensor>,
    ) -> Output {
        let (logits, held) = t.scoped(self.name, None, || self.logits(t, facts, hidden, mask));
        if let HeadLoss::Spans { in_place } = self.loss {
            return spans(t, &logits, (labels, in_place), held);
        }
        let loss = labels.map(|labels| match self.loss {
            HeadLoss::Labelled if logits.dim(-1) > 1 => loss::of_labelled(t, &logits, labels),
            HeadLoss::NextToken => loss::causal_lm(t, facts, &logits, labels),
            HeadLoss::Wide => loss::of_classes_in_float32(t, &logits, labels),
            _ => loss::of_classes(t, &logits, labels),
        });
        drop(held);
        Output::of(logits, loss)
    }

    /// The logits, and what stays in local variables besides.
    pub(crate) fn logits(
        &self,
        t: &Tape,
        facts: Facts,
        hidden: &Tensor,
        mask: Option<&Tensor>,
    ) -> (Tensor, Vec<Tensor>) {
        let (read, mut held) = self.reads.of(t, facts, hidden, mask);
        let read = dropped(t, read, self.drops_first);
        // The columns read of the first token are in the variable that all later results are assigned to.
        let kept = (self.reads != Reads::FirstColumns).then(|| read.clone());
        let x = match &self.transform {
            Some(transform) => transform.forward(t, read),
            None => read,
        };
        let x = dropped(t, x, self.dropout);
        let mut logits = self.output.forward(t, &x);
        if let Some(bias) = &self.bias {
            logits = t.add(&logits, bias);
        }
        drop(kept);
        if self.holds {
            held.push(x);
        }
        (logits, held)
    }
}

/// Logits `[B, S, 2]` apart, `[B, S]` each, and from the places of answers `[B]` the mean of two
/// losses (`ForQuestionAnsweringLoss`, and as models write it).
fn spans(
    t: &Tape,
    logits: &Tensor,
    (places, in_place): (Option<&Tensor>, bool),
    held: Vec<Tensor>,
) -> Output {
    let [start, end] = t.split(logits, [1, 1], -1).map(|column| {
        let flat = t.view(&column, [column.dim(0), column.dim(1)]);
        t.contiguous(&flat)
    });
    let loss = places.map(|places| {
        t.scoped("loss", None, || {
            let clamped = [(); 2].map(|()| {
                if in_place {
                    return places.clone();
                }
                t.empty("clamp", *places.shape(), DType::Int64)
            });
            let first = t.cross_entropy(&start, &clamped[0]);
            let second = t.cross_entropy(&end, &clamped[1]);
            let sum = t.add(&first, &second);
            let mean = t.div_scalar(&sum);
            drop((sum, second, first, clamped));
            mean
        })
    });
    drop(held);
    Output {
        logits: Some(start),
        loss,
        encoded: None,
        beside: vec![end],
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
