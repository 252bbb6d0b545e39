//! Linear layers in four bits, as bitsandbytes holds and runs them.
//!
//! Source: bitsandbytes 0.50, `nn/modules.py` and `functional.py`.

use super::builder::Builder;
use super::dora::BaseWeight;
use crate::tape::{Category, FourBit, Tape, Tensor};
use crate::units::{DType, Shape};
use std::cell::RefCell;

/// Blocks of scales that share a scale of their own, when scales are quantized too.
const SCALES_PER_BLOCK: u64 = 256;
/// Values of the four-bit code.
const CODE: u64 = 16;
/// Values of the eight-bit code of scales.
const SCALE_CODE: u64 = 256;

/// `bitsandbytes.nn.Linear4bit`.
pub(super) struct Linear4bit {
    weight: FourBit,
    compute_dtype: DType,
    follows_input: bool,
    /// The packed weight and what it takes to unpack it.
    state: Vec<Tensor>,
    bias: RefCell<Option<Tensor>>,
}

impl Linear4bit {
    /// Weight `[outputs, inputs]` at two elements a byte, with its scales; bias `[outputs]`.
    pub(super) fn new(b: &Builder, inputs: u64, outputs: u64, bias: bool) -> Self {
        let quantization = b.quantization();
        let weight = FourBit {
            outputs,
            inputs,
            dtype: quantization.compute_dtype.dtype(),
            double: quantization.double,
            fuses_few_rows: b.facts().four_bit_fuses_few_rows,
        };
        let elements = outputs * inputs;
        let blocks = weight.blocks();
        let part = |elements, dtype| b.packed(Shape::from([elements]), dtype);
        let mut state = vec![part(elements.div_ceil(2), DType::UInt8)];
        if weight.double {
            state.push(b.scale_code(SCALE_CODE));
            state.extend([
                part(blocks, DType::UInt8),
                part(CODE, DType::Float32),
                part(1, DType::Float32),
                part(blocks.div_ceil(SCALES_PER_BLOCK), DType::Float32),
            ]);
            if !b.facts().scale_code_is_shared {
                state.push(part(SCALE_CODE, DType::Float32));
            }
        } else {
            state.extend([part(blocks, DType::Float32), part(CODE, DType::Float32)]);
        }
        b.count(elements);
        Self {
            weight,
            compute_dtype: weight.dtype,
            follows_input: b.facts().four_bit_follows_input,
            state,
            bias: RefCell::new(bias.then(|| b.parameter("bias", [outputs]))),
        }
    }

    /// What an adapter reads.
    pub(super) fn base(&self) -> BaseWeight {
        BaseWeight::FourBit(self.weight, self.state.clone())
    }

    /// The bias `[outputs]`.
    pub(super) fn bias(&self) -> Option<Tensor> {
        self.bias.borrow().clone()
    }

    /// `[.., inputs]` to `[.., outputs]`, in the dtype of x. The first call gives the bias, for
    /// good, the dtype in which the layer computes (bitsandbytes 0.45: both follow x).
    pub(super) fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        let dtype = x.dtype();
        let kept = if self.follows_input {
            dtype
        } else {
            self.compute_dtype
        };
        let compute_dtype = if self.follows_input && dtype != DType::Float16 {
            dtype
        } else {
            self.compute_dtype
        };
        let x = t.to(x, compute_dtype);
        let bias = self.bias().map(|bias| {
            let cast = t.to(&bias, kept);
            cast.set_category(Category::Parameters);
            cast
        });
        self.bias.replace(bias.clone());
        let bias = bias.map(|bias| t.to(&bias, compute_dtype));
        let result = t.matmul_4bit(&x, self.weight, bias.as_ref());
        t.to(&result, dtype)
    }
}
