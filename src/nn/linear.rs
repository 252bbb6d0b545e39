//! A single `torch.nn.Linear`, the smallest model there is.

use super::layers::Linear;
use crate::spec::LinearModel;
use crate::tape::{Tape, Tensor};
use crate::units::DType;

/// The toy model of situation 5 in the seeds.
pub(super) struct LinearNet {
    layer: Linear,
}

impl LinearNet {
    pub(super) fn new(t: &Tape, config: &LinearModel, dtype: DType) -> Self {
        let layer = Linear::new(
            t,
            config.in_features,
            config.out_features,
            config.bias,
            dtype,
        );
        Self { layer }
    }

    pub(super) fn forward(&self, t: &Tape, input: &Tensor) -> Tensor {
        self.layer.forward(t, input)
    }
}
