//! GPT-2's linear layer, whose weight is stored transposed (`pytorch_utils.Conv1D`).

use super::builder::Builder;
use super::layers::Linear;
use crate::nn::adapters::{BaseWeight, Slot, first_factor, running};
use crate::tape::{Tape, Tensor};

/// `Conv1D`.
pub(crate) enum Conv1D {
    Full {
        weight: Tensor,
        bias: Tensor,
        adapter: Option<Slot>,
    },
    /// A linear layer in its place: what bitsandbytes puts there, and `GPTBigCode`'s.
    Linear(Linear),
}

impl Conv1D {
    /// Weight `[inputs, outputs]`, bias `[outputs]`.
    pub(crate) fn new(b: &Builder, inputs: u64, outputs: u64) -> Self {
        if b.quantization().is_on() {
            return Self::linear(b, inputs, outputs);
        }
        let weight = b.parameter("weight", [inputs, outputs]);
        let bias = b.parameter("bias", [outputs]);
        let base = || BaseWeight::Transposed(weight.clone());
        Self::Full {
            adapter: b.adapter(inputs, outputs, false, base),
            weight,
            bias,
        }
    }

    /// A linear layer of the same size.
    pub(crate) fn linear(b: &Builder, inputs: u64, outputs: u64) -> Self {
        Self::Linear(Linear::new(b, inputs, outputs, true))
    }

    /// `[B, S, inputs]` to `[B, S, outputs]`.
    pub(crate) fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        match self {
            Self::Linear(layer) => layer.forward(t, x),
            Self::Full {
                weight,
                bias,
                adapter,
            } => {
                let whole = |x: &Tensor| {
                    t.with_own("conv1d", [Some(weight), Some(bias)], x, |x| {
                        let rows = t.view(x, [x.dim(0) * x.dim(1), x.dim(2)]);
                        let flat = t.affine(&rows, weight, bias);
                        drop(rows);
                        t.view(&flat, [x.dim(0), x.dim(1), weight.dim(1)])
                    })
                };
                match adapter {
                    Some(own) => {
                        t.with_own("adapted", [first_factor(own)], x, |x| match running(own) {
                            Some(adapter) => adapter.forward(t, x, whole(x), Some(bias)),
                            None => whole(x),
                        })
                    }
                    None => whole(x),
                }
            }
        }
    }
}
