//! A single `torch.nn.Linear`, the smallest model there is.

use crate::ask::LinearModel;
use crate::families::network::{Encoder, Net};
use crate::model::ResolvedSpec;
use crate::nn::build::{Builder, Facts, Linear, Output};
use crate::tape::{Tape, Tensor};

/// The toy model of situation 5 in the seeds.
struct LinearNet {
    layer: Linear,
}

impl Encoder for LinearNet {
    fn forward(&self, t: &Tape, input: &Tensor, _: Option<&Tensor>) -> Output {
        Output::of(self.layer.forward(t, input), None)
    }
}

/// Builds the model.
pub(crate) fn build(b: &Builder, spec: &ResolvedSpec, _: Facts) -> Net {
    let c: &LinearModel = spec.config();
    let layer = Linear::new(b, c.in_features, c.out_features, c.bias);
    Net::encoder(LinearNet { layer })
}
