//! Building blocks shared by architectures.

use super::builder::Builder;
use crate::tape::{Tape, Tensor};
use crate::units::DType;

/// `torch.nn.Linear`.
pub(super) struct Linear {
    weight: Tensor,
    bias: Option<Tensor>,
}

impl Linear {
    /// Weight `[outputs, inputs]`, bias `[outputs]`.
    pub(super) fn new(b: &Builder, inputs: u64, outputs: u64, bias: bool) -> Self {
        let weight = b.parameter("weight", [outputs, inputs]);
        let bias = bias.then(|| b.parameter("bias", [outputs]));
        Self { weight, bias }
    }

    /// A layer without bias whose weight is another module's, as an output layer tied to the
    /// embedding.
    pub(super) fn tied(weight: &Tensor) -> Self {
        let weight = weight.clone();
        let bias = None;
        Self { weight, bias }
    }

    /// `[.., inputs]` to `[.., outputs]`.
    pub(super) fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        t.linear(x, &self.weight, self.bias.as_ref())
    }
}

/// `torch.nn.Embedding`.
pub(super) struct Embedding {
    pub(super) weight: Tensor,
}

impl Embedding {
    /// Weight `[rows, width]`.
    pub(super) fn new(b: &Builder, rows: u64, width: u64) -> Self {
        let weight = b.parameter("weight", [rows, width]);
        Self { weight }
    }

    /// Indices `[..]` to `[.., width]`.
    pub(super) fn forward(&self, t: &Tape, indices: &Tensor) -> Tensor {
        t.embedding(&self.weight, indices)
    }
}

/// `LlamaRMSNorm`: computed in float32, written out in Python.
pub(super) struct RmsNorm {
    weight: Tensor,
}

impl RmsNorm {
    /// Weight `[size]`.
    pub(super) fn new(b: &Builder, size: u64) -> Self {
        let weight = b.parameter("weight", [size]);
        Self { weight }
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
