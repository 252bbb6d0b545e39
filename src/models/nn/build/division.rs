//! Modules that ranks with the same data divide among them: this rank's part of their parameters, and the collectives
//! around their calls.
//!
//! Source: `torch/distributed/tensor/parallel/style.py`, torch 2.15; `distributed/tensor_parallel.py`,
//! transformers 5.23.

use crate::model::TensorStyle;
use crate::tape::{Tape, Tensor};

/// How a module is divided.
#[derive(Debug)]
pub(crate) struct Division {
    pub(super) style: TensorStyle,
    pub(super) ranks: u64,
    /// Whether it is transformers that divides it.
    pub(super) planned: bool,
    /// Whether hidden states between layers are divided along the sequence.
    pub(super) sequence: bool,
    /// Whether logits stay divided.
    pub(super) divides_logits: bool,
    /// Columns of the result in all.
    pub(super) columns: u64,
}

/// The division of hidden states between layers: the number of ranks that divide them along the sequence, if any
/// (`SequenceParallel`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BetweenLayers(pub(super) Option<u64>);

impl BetweenLayers {
    /// Calls a norm on this rank's positions of `[B, S, H]`.
    pub(crate) fn around_norm(
        self,
        t: &Tape,
        x: &Tensor,
        norm: impl FnOnce(&Tensor) -> Tensor,
    ) -> Tensor {
        if self.0.is_none() {
            return norm(x);
        }
        let x = t.part_of_ranks(x);
        t.distributed(|| norm(&x))
    }

    /// The number of all positions where a rank has `own`.
    pub(crate) fn all_positions(self, own: u64) -> u64 {
        own * self.0.unwrap_or(1)
    }

    /// All positions of what a norm gave, for a module of which each rank has a part
    /// (`PrepareModuleInput`).
    pub(crate) fn gathered(self, t: &Tape, x: &Tensor) -> Tensor {
        match self.0 {
            None => x.clone(),
            Some(ranks) => t.gathered_sequence(x, ranks),
        }
    }
}

impl Division {
    /// A linear layer on `[B, S, ..]` with this rank's part of its weight.
    pub(crate) fn linear(
        &self,
        t: &Tape,
        x: &Tensor,
        weight: &Tensor,
        bias: Option<&Tensor>,
    ) -> Tensor {
        let x = self.taken(t, x);
        // Linear layers compute with what a rank has where nothing is recorded: autocast does not keep copies of that
        // (`should_use_local_tensors`, `distributed/tensor_parallel.py`, transformers 5.23).
        let is_local = self.planned && !t.is_grad_enabled();
        let own = is_local.then(|| (weight.detach(), bias.map(Tensor::detach)));
        let (weight, bias) = (own.as_ref()).map_or((weight, bias), |own| (&own.0, own.1.as_ref()));
        if self.is_summed() && is_local {
            // Summed in place where nothing is recorded.
            let sum = t.linear(&x, weight, None);
            return match bias {
                Some(bias) => t.add(&sum, bias),
                None => sum,
            };
        }
        let result = {
            // Each rank adds its part of the bias to its part of the sum.
            let _part = bias
                .filter(|_| self.is_summed())
                .map(|bias| t.scratch_like("div", bias));
            t.distributed(|| t.linear(&x, weight, bias))
        };
        self.given(t, result)
    }

    /// This rank's share of `columns`.
    pub(crate) fn own_of(&self, columns: u64) -> u64 {
        columns.div_ceil(self.ranks)
    }

    /// Whether each rank computes a part of a sum.
    fn is_summed(&self) -> bool {
        matches!(
            self.style,
            TensorStyle::Rowwise | TensorStyle::RowwiseSplitInput
        )
    }

    /// The input that a linear layer computes with.
    fn taken(&self, t: &Tape, x: &Tensor) -> Tensor {
        match self.style {
            TensorStyle::ColwiseGatherOutput if self.sequence => t.gathered_sequence(x, self.ranks),
            // Gathered for the module around it.
            TensorStyle::Colwise if self.sequence => x.clone(),
            TensorStyle::Colwise | TensorStyle::ColwiseGatherOutput => t.copied_on_ranks(x),
            TensorStyle::RowwiseSplitInput => t.own_columns(x, self.ranks),
            _ => t.part_of_ranks(x),
        }
    }

    /// The output of a linear layer.
    fn given(&self, t: &Tape, result: Tensor) -> Tensor {
        match self.style {
            TensorStyle::ColwiseGatherOutput if !self.divides_logits => {
                t.gathered_columns(&result, self.columns, self.ranks)
            }
            _ if self.is_summed() => self.summed(t, &result),
            _ => result,
        }
    }

    /// A sum of which each rank has a part: on all ranks, or divided along the sequence.
    pub(crate) fn summed(&self, t: &Tape, x: &Tensor) -> Tensor {
        if self.sequence {
            t.summed_in_parts(x, self.ranks)
        } else {
            t.summed_on_ranks(x)
        }
    }
}
