//! An activation function with two trained numbers, as transformers writes it out in Python.
//!
//! Source: transformers 5.23, `activations.py`.

use crate::nn::build::Builder;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// `XIELUActivation`.
pub(crate) struct Xielu {
    /// `alpha_p` and `alpha_n`, `[1]`.
    alphas: [Tensor; 2],
    /// `beta` and `eps`, numbers on the device.
    buffers: [Tensor; 2],
}

impl Xielu {
    /// In the dtype of the weights.
    pub(crate) fn new(b: &Builder) -> Self {
        let buffer = |name| b.buffer(name, Shape::new(&[]), b.loaded_dtype());
        Self {
            alphas: ["alpha_p", "alpha_n"].map(|name| b.parameter(name, [1])),
            buffers: ["beta", "eps"].map(buffer),
        }
    }

    /// Any shape to the same.
    pub(crate) fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        let [positive, negative] = &self.alphas;
        let [_beta, eps] = &self.buffers;
        let positive = t.softplus(positive);
        let negative = {
            let soft = t.softplus(negative);
            t.add_scalar(&soft)
        };
        let above = t.empty("gt", *x.shape(), DType::Bool);
        let bent = {
            let square = {
                let scaled = t.mul(&positive, x);
                t.mul(&scaled, x)
            };
            let line = t.mul_scalar(x);
            t.add(&square, &line)
        };
        let falling = {
            let scaled = {
                let power = {
                    let least = t.at_most(x, eps);
                    t.expm1(&least)
                };
                let below = t.sub(&power, x);
                drop(power);
                t.mul(&below, &negative)
            };
            let line = t.mul_scalar(x);
            t.add(&scaled, &line)
        };
        t.where_either(&above, &bent, &falling)
    }
}
