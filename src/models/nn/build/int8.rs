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
        let (rows, elements) = (Shape::from([outputs]), Shape::from([outputs, inputs]));
        let packed = b.quantized_part(elements, DType::UInt8);
        let scales = b.quantized_part(rows, DType::Float32);
        let state = [packed.clone(), scales.clone()];
        let loaded = b.quantization().compute_dtype.dtype();
        let from_checkpoint = b.quantizes_on_the_way();
        b.once_loaded("weight", 2 * outputs * inputs, move |t| {
            let make = |part: &Tensor| t.give_storage("quantize", part);
            if !from_checkpoint {
                make(&packed);
                return make(&scales);
            }
            // `Bnb8bitQuantize`, `integrations/bitsandbytes.py`, transformers 5.23: the weight waits where it was
            // loaded while it comes once more, by way of the host, as the kernel wants it.
            let loaded = t.empty("_to_copy", elements, loaded);
            let half = t.empty("_to_copy", elements, DType::Float16);
            make(&scales);
            make(&packed);
            drop(half);
            drop(loaded);
        });
        Self {
            weight: EightBit {
                outputs,
                inputs,
                keeps_sums: b.facts().int8_keeps_sums,
            },
            _state: state,
            bias: RefCell::new(bias.then(|| b.parameter("bias", [outputs]))),
        }
    }

    /// The base that an adapter reads.
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
