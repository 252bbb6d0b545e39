//! Stacked weights of experts in 4 or 8 bits: each is unpacked when its module runs first reads it, and once for
//! each run.
//!
//! Source: `monkeypatch/moe_quant.py` (axolotl 0.19); bitsandbytes 0.50, `nn/parametrize.py`.

use super::builder::Builder;
use super::four_bit::Packed;
use crate::ask::QuantizationType;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// A stacked weight `[E, rows, columns]` of experts in fewer bits.
pub(crate) struct PackedExperts {
    shape: Shape,
    dtype: DType,
    held: Held,
}

/// How the weight is held.
enum Held {
    FourBit(Packed),
    /// The weight, a byte an element, and a scale a row.
    EightBit([Tensor; 2]),
}

impl PackedExperts {
    /// The module's parameter `name`, where experts are quantized.
    pub(crate) fn of(b: &Builder, name: &'static str, shape: Shape) -> Option<Self> {
        let quantization = b.quantization();
        let stacked = shape.rank() == 3 && b.plan.tape.scope_path(b.scope).contains("expert");
        if !(quantization.experts && quantization.is_on() && stacked) {
            return None;
        }
        b.has(name, shape);
        let dtype = quantization.compute_dtype.dtype();
        let load = b.loads_stacked(name, shape, dtype);
        let (dtype, held) = if quantization.kind == QuantizationType::Int8 {
            // `int8_vectorwise_dequant` multiplies by scales in float32.
            (DType::Float32, eight_bit(b, name, shape, load))
        } else {
            (
                dtype,
                Held::FourBit(Packed::of_experts(b, name, shape, load)),
            )
        };
        Some(Self { shape, dtype, held })
    }

    /// The packed parameter itself.
    pub(crate) fn own(&self) -> &Tensor {
        match &self.held {
            Held::FourBit(packed) => packed.own(),
            Held::EightBit([packed, _]) => packed,
        }
    }

    /// `[E, rows, columns]`.
    pub(crate) fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The dtype of the weight at full width.
    pub(crate) fn dtype(&self) -> DType {
        self.dtype
    }

    /// The weight at full width.
    pub(crate) fn unpacked(&self, t: &Tape) -> Tensor {
        match &self.held {
            Held::FourBit(packed) => t.view(&packed.unpacked(t), self.shape),
            Held::EightBit(_) => {
                let _scaled = t.empty("mul", self.shape, self.dtype);
                t.empty("mul", self.shape, self.dtype)
            }
        }
    }
}

/// `int8_vectorwise_quant` of what `load` makes, in float16.
fn eight_bit(
    b: &Builder,
    name: &'static str,
    shape: Shape,
    load: impl FnOnce(&Tape) -> Tensor + 'static,
) -> Held {
    let elements = shape.numel();
    let packed = b.packed_weight(elements, DType::UInt8);
    let scales = b.quantized_part([shape.dim(0) * shape.dim(1)].into(), DType::Float32);
    let state = [packed.clone(), scales.clone()];
    b.once_loaded(name, 2 * elements, move |t| {
        let loaded = load(t);
        let half = t.to(&loaded, DType::Float16);
        t.give_storage("quantize", &scales);
        t.give_storage_of_parameter("quantize", &packed);
        drop((half, loaded));
        t.empty_cache();
    });
    Held::EightBit(state)
}
