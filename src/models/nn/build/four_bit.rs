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

/// The copies that a state dictionary holds of the scale tables of `layers` layers with tables of their own
/// (`QuantState.as_dict`).
pub(crate) fn saved_scale_codes(t: &Tape, layers: u64) -> Vec<Tensor> {
    let copy = |_| t.empty("clone", Shape::from([SCALE_CODE]), DType::Float32);
    (0..layers).map(copy).collect()
}

/// A weight in four bits, which stays frozen.
pub(super) struct Packed {
    weight: FourBit,
    bytes: Tensor,
    /// Tensors that unpack the weight.
    state: Vec<Tensor>,
    /// The table that all quantized scales are made with.
    _table: Option<Tensor>,
}

/// `bitsandbytes.nn.Linear4bit`.
pub(crate) struct Linear4bit {
    weight: Packed,
    compute_dtype: DType,
    follows_input: bool,
    bias: RefCell<Option<Tensor>>,
}

/// The parts of a quantized weight.
struct Parts {
    packed: Tensor,
    code: Tensor,
    scales: Scales,
}

/// The scales of a weight.
enum Scales {
    /// In float32, one a block.
    Whole(Tensor),
    /// Quantized themselves.
    Quantized {
        offset: Tensor,
        outer: Tensor,
        inner: Tensor,
        /// A table of its own, where each has one.
        own: Option<Tensor>,
        /// The table that all are made with, and what it is for.
        table: (Tensor, Category),
    },
}

impl Parts {
    /// `quantize_4bit` of a weight that is `loaded` for that.
    fn quantize(self, t: &Tape, weight: FourBit, loaded: Tensor) {
        let make = |part: &Tensor| t.give_storage("quantize", part);
        let meanwhile = |elements, dtype| t.empty("quantize", Shape::from([elements]), dtype);
        let blocks = weight.blocks();
        let narrowed = match &self.scales {
            Scales::Whole(scales) => {
                make(scales);
                None
            }
            Scales::Quantized { .. } => Some(meanwhile(blocks, DType::Float32)),
        };
        t.give_storage_of_parameter("quantize", &self.packed);
        make(&self.code);
        drop((
            meanwhile(CODE, DType::Float32),
            meanwhile(1, DType::Float32),
        ));
        if let Scales::Quantized {
            offset,
            outer,
            inner,
            own,
            table: (table, category),
        } = &self.scales
        {
            make(offset);
            let centred = meanwhile(blocks, DType::Float32);
            if table.has_no_storage() {
                t.give_storage_for(*category, "quantize", table);
            }
            make(outer);
            make(inner);
            own.iter().for_each(make);
            drop((centred, narrowed));
        }
        drop(loaded);
    }
}

impl Packed {
    /// The module's parameter `name`, `[outputs, inputs]` at two elements a byte, in a tensor of `storage`. Once it
    /// is loaded, `fill` quantizes it.
    fn new(
        b: &Builder,
        name: &'static str,
        [outputs, inputs]: [u64; 2],
        storage: DType,
        fill: impl FnOnce(&Tape, Parts, FourBit) + 'static,
    ) -> Self {
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
        let part = |elements, dtype| b.quantized_part(Shape::from([elements]), dtype);
        let packed = b.packed_weight(elements.div_ceil(2), storage);
        let code = part(CODE, DType::Float32);
        let scales = if weight.double {
            let table = b.scale_code(SCALE_CODE);
            Scales::Quantized {
                offset: part(1, DType::Float32),
                outer: part(blocks.div_ceil(SCALES_PER_BLOCK), DType::Float32),
                inner: part(blocks, DType::UInt8),
                own: (!b.facts().scale_code_is_shared).then(|| part(SCALE_CODE, DType::Float32)),
                table,
            }
        } else {
            Scales::Whole(part(blocks, DType::Float32))
        };
        let (state, held) = match &scales {
            Scales::Whole(scales) => (vec![scales.clone(), code.clone()], None),
            Scales::Quantized {
                offset,
                outer,
                inner,
                own,
                table: (table, _),
            } => {
                let own = own.as_ref().unwrap_or(table);
                let all = [inner, &code, offset, outer, own];
                (all.map(Tensor::clone).into(), Some(table.clone()))
            }
        };
        let parts = Parts {
            packed: packed.clone(),
            code,
            scales,
        };
        b.once_loaded(name, elements, move |t| fill(t, parts, weight));
        Self {
            weight,
            bytes: packed,
            state,
            _table: held,
        }
    }

    /// The stacked weights `[E, rows, columns]` of experts, which `load` makes. What the cache holds of it goes back
    /// to the device when each is packed.
    pub(super) fn of_experts(
        b: &Builder,
        name: &'static str,
        shape: Shape,
        load: impl FnOnce(&Tape) -> Tensor + 'static,
    ) -> Self {
        let [experts, rows, columns] = [0, 1, 2].map(|i| shape.dim(i));
        let sizes = [experts * rows, columns];
        Self::new(b, name, sizes, DType::UInt8, move |t, parts, weight| {
            parts.quantize(t, weight, load(t));
            t.empty_cache();
        })
    }

    /// The packed weight itself.
    pub(super) fn own(&self) -> &Tensor {
        &self.bytes
    }

    /// The weight `[outputs, inputs]` at full width.
    pub(super) fn unpacked(&self, t: &Tape) -> Tensor {
        t.dequantize_4bit(self.weight)
    }
}

impl Linear4bit {
    /// Weight `[outputs, inputs]` at two elements a byte, with its scales; bias `[outputs]`.
    pub(crate) fn new(b: &Builder, inputs: u64, outputs: u64, bias: bool) -> Self {
        let quantization = b.quantization();
        let dtype = quantization.compute_dtype.dtype();
        let storage = quantization.storage.dtype();
        b.count(outputs * inputs);
        let fill = move |t: &Tape, parts: Parts, weight| {
            let loaded = t.empty("empty", Shape::from([outputs * inputs]), dtype);
            parts.quantize(t, weight, loaded);
        };
        Self {
            weight: Packed::new(b, "weight", [outputs, inputs], storage, fill),
            compute_dtype: dtype,
            follows_input: b.facts().four_bit_follows_input,
            bias: RefCell::new(bias.then(|| b.parameter("bias", [outputs]))),
        }
    }

    /// The weight that an adapter reads, and that a copy of the layer copies: the layer and its weight both hold the
    /// tensors that unpack it.
    pub(crate) fn base(&self) -> BaseWeight {
        let Packed {
            weight,
            bytes,
            state,
            ..
        } = &self.weight;
        let state = || state.iter().cloned();
        let packed = [bytes.clone()];
        BaseWeight::FourBit(*weight, state().chain(packed).chain(state()).collect())
    }

    /// The weight in four bits.
    pub(super) fn packed(&self) -> FourBit {
        self.weight.weight
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
        let result = t.matmul_4bit(&x, self.weight.weight, bias.as_ref());
        t.to(&result, dtype)
    }
}
