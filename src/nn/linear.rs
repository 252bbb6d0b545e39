//! A single `torch.nn.Linear`, the smallest model there is.

use super::builder::Builder;
use super::layers::Linear;
use crate::spec::LinearModel;
use crate::tape::{Tape, Tensor};

/// The toy model of situation 5 in the seeds.
pub(super) struct LinearNet {
    layer: Linear,
}

impl LinearNet {
    pub(super) fn new(b: &Builder, c: &LinearModel) -> Self {
        let layer = Linear::new(b, c.in_features, c.out_features, c.bias);
        Self { layer }
    }

    pub(super) fn forward(&self, t: &Tape, input: &Tensor) -> Tensor {
        self.layer.forward(t, input)
    }
}
