//! Linear layers in four bits, as bitsandbytes holds and runs them.
//!
//! Source: bitsandbytes 0.50, `nn/modules.py` and `functional.py`.

use super::builder::Builder;
use crate::nn::adapters::BaseWeight;
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
pub(crate) struct Linear4bit {
    weight: FourBit,
    compute_dtype: DType,
    follows_input: bool,
    packed: Tensor,
    /// What it takes to unpack the weight.
    state: Vec<Tensor>,
    /// The table that all quantized scales are made with.
    _table: Option<Tensor>,
    bias: RefCell<Option<Tensor>>,
}

impl Linear4bit {
    /// Weight `[outputs, inputs]` at two elements a byte, with its scales; bias `[outputs]`.
    pub(crate) fn new(b: &Builder, inputs: u64, outputs: u64, bias: bool) -> Self {
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
        let loaded = b.loaded(Shape::from([elements]));
        let scales = weight.double.then(|| b.meanwhile(blocks, DType::Float32));
        let scales = scales.unwrap_or_else(|| part(blocks, DType::Float32));
        let packed = b.packed_weight(elements.div_ceil(2), quantization.storage.dtype());
        let code = part(CODE, DType::Float32);
        drop((
            b.meanwhile(CODE, DType::Float32),
            b.meanwhile(1, DType::Float32),
        ));
        let mut held = None;
        let state = if weight.double {
            let offset = part(1, DType::Float32);
            let centred = b.meanwhile(blocks, DType::Float32);
            let table = b.scale_code(SCALE_CODE);
            let outer = part(blocks.div_ceil(SCALES_PER_BLOCK), DType::Float32);
            let inner = part(blocks, DType::UInt8);
            let own = if b.facts().scale_code_is_shared {
                table.clone()
            } else {
                part(SCALE_CODE, DType::Float32)
            };
            held = Some(table);
            drop((centred, scales));
            vec![inner, code, offset, outer, own]
        } else {
            vec![scales, code]
        };
        drop(loaded);
        b.count(elements);
        Self {
            weight,
            compute_dtype: weight.dtype,
            follows_input: b.facts().four_bit_follows_input,
            packed,
            state,
            _table: held,
            bias: RefCell::new(bias.then(|| b.parameter("bias", [outputs]))),
        }
    }

    /// What an adapter reads, and what a copy of the layer copies: the layer and its weight each
    /// hold what it takes to unpack it.
    pub(crate) fn base(&self) -> BaseWeight {
        let state = || self.state.iter().cloned();
        let packed = [self.packed.clone()];
        BaseWeight::FourBit(self.weight, state().chain(packed).chain(state()).collect())
    }

    /// The bias `[outputs]`.
    pub(crate) fn bias(&self) -> Option<Tensor> {
        self.bias.borrow().clone()
    }

    /// `[.., inputs]` to `[.., outputs]`, in the dtype of x. The first call gives the bias, for
    /// good, the dtype in which the layer computes (bitsandbytes 0.45: both follow x).
    pub(crate) fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
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
