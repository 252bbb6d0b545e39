//! Linear layers in four bits, as torchtune holds and runs them (`modules/low_precision/nf4_linear.py` and
//! `modules/peft/lora.py`, torchtune 0.6.1).

use super::builder::Builder;
use crate::nn::adapters::BaseWeight;
use crate::tape::{Nf4, Tape, Tensor};

/// A layer whose weight is an `NF4Tensor`, which is quantized where the layer is made.
pub(crate) struct LinearNf4 {
    weight: Nf4,
    packed: Tensor,
    _state: [Tensor; 4],
    bias: Option<Tensor>,
}

impl LinearNf4 {
    /// Weight `[outputs, inputs]`; bias `[outputs]`, which is never trained.
    pub(crate) fn new(b: &Builder, [inputs, outputs]: [u64; 2], bias: bool) -> Self {
        let weight = Nf4 {
            outputs,
            inputs,
            dtype: b.dtype(),
        };
        b.count(outputs * inputs);
        let [(packed, dtype), state @ ..] = weight.parts();
        let packed = b.packed_weight(packed.numel(), dtype);
        let state = state.map(|(shape, dtype)| b.quantized_part(shape, dtype));
        let made = (packed.clone(), state.clone());
        b.once_loaded("weight", outputs * inputs, move |t| {
            let (packed, state) = &made;
            t.give_storage_of_parameter("quantize", packed);
            for part in state {
                t.give_storage("quantize", part);
            }
        });
        Self {
            weight,
            packed,
            _state: state,
            bias: bias.then(|| b.parameter("bias", [outputs])),
        }
    }

    /// The base that an adapter reads.
    pub(crate) fn base(&self) -> BaseWeight {
        BaseWeight::Nf4(self.weight)
    }

    /// The bias `[outputs]`.
    pub(crate) fn bias(&self) -> Option<&Tensor> {
        self.bias.as_ref()
    }

    /// `[.., inputs]` to `[.., outputs]`; a bias is added to what the product gave.
    pub(crate) fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        let out = t.linear_nf4(x, self.weight, &self.packed);
        match &self.bias {
            Some(bias) => t.add(&out, bias),
            None => out,
        }
    }
}
