//! Linear layers in eight bits, as bitsandbytes holds and runs them (`LLM.int8()`).
//!
//! Source: bitsandbytes 0.50, `nn/modules.py`.

use super::builder::Builder;
use crate::nn::adapters::BaseWeight;
use crate::tape::{Category, EightBit, Tape, Tensor};
use crate::units::{DType, Shape};
use std::cell::RefCell;

/// `bitsandbytes.nn.Linear8bitLt`.
pub(crate) struct Linear8bit {
    weight: EightBit,
    /// The weight, a byte an element, and a scale a row.
    _state: [Tensor; 2],
    bias: RefCell<Option<Tensor>>,
}

impl Linear8bit {
    /// Weight `[outputs, inputs]`, bias `[outputs]`.
    pub(crate) fn new(b: &Builder, inputs: u64, outputs: u64, bias: bool) -> Self {
        b.count(outputs * inputs);
        Self {
            weight: EightBit {
                outputs,
                inputs,
                keeps_sums: b.facts().int8_keeps_sums,
            },
            _state: [
                b.packed(Shape::from([outputs, inputs]), DType::UInt8),
                b.packed(Shape::from([outputs]), DType::Float32),
            ],
            bias: RefCell::new(bias.then(|| b.parameter("bias", [outputs]))),
        }
    }

    /// What an adapter reads.
    pub(crate) fn base(&self) -> BaseWeight {
        BaseWeight::EightBit(self.weight)
    }

    /// The bias `[outputs]`.
    pub(crate) fn bias(&self) -> Option<Tensor> {
        self.bias.borrow().clone()
    }

    /// `[.., inputs]` to `[.., outputs]`, in the dtype of x, which the bias takes for good.
    pub(crate) fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        let cast = self.bias.borrow().as_ref().map(|bias| {
            let cast = t.to(bias, x.dtype());
            cast.set_category(Category::Parameters);
            cast
        });
        self.bias.replace(cast);
        t.matmul_8bit(x, self.weight)
    }
}
