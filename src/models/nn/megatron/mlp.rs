//! The MLP (`core/transformer/mlp.py`), gated.

use super::linear::{ColumnParallel, RowParallel};
use super::modules::Modules;
use crate::tape::{Tape, Tensor};

/// `MLP` with `gated_linear_unit`, of a layer or of one expert.
pub(super) struct Mlp {
    linear_fc1: ColumnParallel,
    linear_fc2: RowParallel,
}

impl Mlp {
    pub(super) fn new(m: &Modules) -> Self {
        let (hidden, columns) = (m.config.hidden_size, m.config.ffn_hidden_size);
        Self {
            linear_fc1: ColumnParallel::new(m, [hidden, 2 * columns]),
            linear_fc2: RowParallel::new(m, [columns, hidden]),
        }
    }

    /// One expert, which ranks have `apart` where they divide them.
    pub(super) fn of_expert(m: &Modules, columns: u64, apart: bool) -> Self {
        let hidden = m.config.hidden_size;
        Self {
            linear_fc1: ColumnParallel::of_expert(m, [hidden, 2 * columns], apart),
            linear_fc2: RowParallel::of_expert(m, [columns, hidden], apart),
        }
    }

    /// Rows `[n, H]` to the same, weighted `[n]` in between.
    pub(super) fn weighted(&self, t: &Tape, x: &Tensor, weights: &Tensor) -> Tensor {
        let both = self.linear_fc1.forward(t, x);
        let gated = gated(t, &both);
        drop(both);
        let weighted = t.mul(&gated, &t.unsqueeze(weights, 1));
        drop(gated);
        self.linear_fc2.forward(t, &weighted)
    }

    /// `[S, B, H]` to the same.
    pub(super) fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        let both = self.linear_fc1.forward(t, x);
        let gated = gated(t, &both);
        drop(both);
        self.linear_fc2.forward(t, &gated)
    }
}

/// `glu`: the linear half gets an offset of zero.
fn gated(t: &Tape, x: &Tensor) -> Tensor {
    let [gate, linear] = t.split(x, [x.dim(-1) / 2; 2], -1);
    let gate = t.silu(&gate);
    let linear = t.add_scalar(&linear);
    t.mul(&gate, &linear)
}
