//! Building blocks shared by architectures.

use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// `torch.nn.Linear`.
pub(super) struct Linear {
    pub(super) weight: Tensor,
    pub(super) bias: Option<Tensor>,
}

impl Linear {
    /// Weight `[outputs, inputs]`, bias `[outputs]`.
    pub(super) fn new(t: &Tape, inputs: u64, outputs: u64, bias: bool, dtype: DType) -> Self {
        let weight = t.parameter(Shape::from([outputs, inputs]), dtype);
        let bias = bias.then(|| t.parameter(Shape::from([outputs]), dtype));
        Self { weight, bias }
    }

    /// `[.., inputs]` to `[.., outputs]`.
    pub(super) fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        t.linear(x, &self.weight, self.bias.as_ref())
    }
}

/// `LlamaRMSNorm`: computed in float32, written out in Python.
pub(super) struct RmsNorm {
    weight: Tensor,
}

impl RmsNorm {
    /// Weight `[size]`.
    pub(super) fn new(t: &Tape, size: u64, dtype: DType) -> Self {
        Self {
            weight: t.parameter(Shape::from([size]), dtype),
        }
    }

    /// `[.., size]` to the same.
    pub(super) fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        let dtype = x.dtype();
        let x = t.to(x, DType::Float32);
        let variance = {
            let square = t.square(&x);
            t.mean_last(&square)
        };
        let normalized = {
            let scale = {
                let shifted = t.add_scalar(&variance);
                t.rsqrt(&shifted)
            };
            t.mul(&x, &scale)
        };
        drop(x);
        let narrow = t.to(&normalized, dtype);
        t.mul(&self.weight, &narrow)
    }
}
