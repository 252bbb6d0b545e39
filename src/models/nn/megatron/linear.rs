//! Layers whose columns or rows ranks divide (`core/tensor_parallel/layers.py`).

use super::modules::Modules;
use crate::tape::{Gathered, Tape, Tensor};

/// `ColumnParallelLinear`, without a bias.
pub(super) struct ColumnParallel {
    weight: Tensor,
    /// Whether its input is passed on by a function that ranks would sum the gradient in.
    sums: bool,
    /// Whether ranks sum the gradient of its input.
    shares: bool,
    /// If the sequence is divided: the number of its parts, and the buffer that they are gathered into.
    parts: Option<(u64, Gathered)>,
}

impl ColumnParallel {
    /// Weight `[outputs / ranks, inputs]`.
    pub(super) fn new(m: &Modules, [inputs, outputs]: [u64; 2]) -> Self {
        let weight = m.weight([outputs / m.config.tensor_ranks, inputs]);
        Self::of(m, weight)
    }

    /// A layer with an existing weight.
    pub(super) fn of(m: &Modules, weight: Tensor) -> Self {
        let parts = m.config.sequence_parts();
        Self {
            weight,
            sums: m.config.tensor_ranks == 1,
            shares: parts == 1,
            parts: (parts > 1).then(|| (parts, m.memory.gathered())),
        }
    }

    /// The columns of an expert, whose tokens are gathered before: `[outputs / ranks, inputs]`.
    pub(super) fn of_expert(m: &Modules, [inputs, outputs]: [u64; 2], apart: bool) -> Self {
        let weight = m.weight([outputs / m.config.tensor_ranks, inputs]);
        m.mark(|made| made.is_expert = apart);
        Self {
            weight,
            sums: !(apart || m.config.tensor_ranks > 1),
            shares: false,
            parts: None,
        }
    }

    /// `[S, B, inputs]` to this rank's columns `[S, B, outputs / ranks]`.
    pub(super) fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        let copied = self.sums.then(|| t.passed_on(x));
        t.parallel_linear(
            copied.as_ref().unwrap_or(x),
            &self.weight,
            self.parts.clone(),
            self.shares,
        )
    }
}

/// `RowParallelLinear`, without a bias.
pub(super) struct RowParallel {
    weight: Tensor,
    parts: u64,
    /// Whether the result stays this rank's part of the sum: in experts, whose sums are made when tokens go back.
    is_partial: bool,
}

impl RowParallel {
    /// Weight `[outputs, inputs / ranks]`.
    pub(super) fn new(m: &Modules, [inputs, outputs]: [u64; 2]) -> Self {
        Self {
            weight: m.weight([outputs, inputs / m.config.tensor_ranks]),
            parts: m.config.sequence_parts(),
            is_partial: false,
        }
    }

    /// The rows of an expert, whose sums are made when tokens go back.
    pub(super) fn of_expert(m: &Modules, [inputs, outputs]: [u64; 2], apart: bool) -> Self {
        let weight = m.weight([outputs, inputs / m.config.tensor_ranks]);
        m.mark(|made| made.is_expert = apart);
        Self {
            weight,
            parts: 1,
            is_partial: apart || m.config.tensor_ranks > 1,
        }
    }

    /// This rank's columns `[S, B, inputs / ranks]` to `[S, B, outputs]`, or this rank's part of the sequence.
    pub(super) fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        let partial = t.parallel_linear(x, &self.weight, None, false);
        match self.parts {
            _ if self.is_partial => partial,
            1 => t.summed_in_place(&partial),
            parts => t.scattered_first(&partial, parts),
        }
    }
}
