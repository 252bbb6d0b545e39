//! A single `torch.nn.Linear`, the smallest model there is.

use crate::ask::LinearModel;
use crate::nn::build::{Builder, Linear};
use crate::tape::{Tape, Tensor};

/// The toy model of situation 5 in the seeds.
pub(crate) struct LinearNet {
    layer: Linear,
}

impl LinearNet {
    pub(crate) fn new(b: &Builder, c: &LinearModel) -> Self {
        let layer = Linear::new(b, c.in_features, c.out_features, c.bias);
        Self { layer }
    }

    pub(crate) fn forward(&self, t: &Tape, input: &Tensor) -> Tensor {
        self.layer.forward(t, input)
    }
}
