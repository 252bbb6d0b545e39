//! `DoRA`: adapters beside which the length of each row of the adapted weight is learnt.
//!
//! Source: peft 0.21, `tuners/lora/dora.py` and `utils/integrations.py`; 0.15 (with transformers
//! 4.51) and 0.13 (4.48) differ where it is said.

use super::factors::Factors;
use crate::model::Transformers;
use crate::nn::build::Facts;
use crate::tape::{EightBit, FourBit, Nf4, Tape, Tensor};
use crate::units::{DType, Shape};

/// The weight of the layer that an adapter is added to.
pub(crate) enum BaseWeight {
    /// `[outputs, inputs]`.
    Full(Tensor),
    /// `[inputs, outputs]` (`fan_in_fan_out`).
    Transposed(Tensor),
    /// Four bits an element, with what it takes to unpack them.
    FourBit(FourBit, Vec<Tensor>),
    /// A byte an element.
    EightBit(EightBit),
    /// Four bits an element, as torchao holds them.
    Nf4(Nf4),
}

impl BaseWeight {
    /// `dequantize_module_weight`, in `dtype`, seen as `[outputs, inputs]`.
    fn full(&self, t: &Tape, dtype: DType) -> Tensor {
        match self {
            Self::Full(weight) => t.to(weight, dtype),
            Self::Transposed(weight) => t.t(&t.to(weight, dtype)),
            Self::FourBit(weight, _) => t.to(&t.dequantize_4bit(*weight), dtype),
            Self::EightBit(weight) => t.to(&t.dequantize_8bit(*weight), dtype),
            Self::Nf4(weight) => t.to(&t.original_nf4(*weight), dtype),
        }
    }

    /// The full weight as the layer is computed with once more. `transpose` makes a new parameter,
    /// which gets a gradient, of a parameter.
    fn again(&self, t: &Tape, full: Tensor) -> Tensor {
        match self {
            Self::Transposed(weight) if weight.dtype() == full.dtype() => t.input_leaf(&full),
            _ => full,
        }
    }

    /// The dtype of the weight at full width.
    fn dtype(&self) -> DType {
        match self {
            Self::Full(weight) | Self::Transposed(weight) => weight.dtype(),
            Self::FourBit(weight, _) => weight.dtype,
            Self::EightBit(_) => DType::Float32,
            Self::Nf4(weight) => weight.dtype,
        }
    }

    /// `DoraLinearLayer.update_layer`: the lengths `[outputs]` that the rows have at first. A layer
    /// in four bits is copied for it, and factors in float16 are multiplied in float32.
    pub(crate) fn norm(&self, t: &Tape, a: &Tensor, b: &Tensor) -> Tensor {
        let _copies: Vec<Tensor> = match self {
            Self::FourBit(_, state) => state.iter().map(|part| t.clone_contiguous(part)).collect(),
            _ => Vec::new(),
        };
        let grad_mode = t.set_grad_enabled(false);
        let weight = self.full(t, self.dtype());
        let factors = [a, b].map(|factor| match factor.dtype() {
            DType::Float16 => t.to(factor, DType::Float32),
            _ => factor.clone(),
        });
        let product = t.to(&t.mm(&factors[1], &factors[0]), a.dtype());
        let norm = weight_norm(t, &weight, &product);
        t.set_grad_enabled(grad_mode);
        norm
    }
}

/// `get_weight_norm`: the length of each row of `weight + update * number`, both
/// `[outputs, inputs]`.
fn weight_norm(t: &Tape, weight: &Tensor, update: &Tensor) -> Tensor {
    let sum = {
        let scaled = t.mul_scalar(update);
        t.add(weight, &scaled)
    };
    // Autocast takes norms in float32.
    let dtype = match t.autocast_dtype() {
        Some(_) => DType::Float32,
        None => sum.dtype(),
    };
    t.to(&t.norm_last(&sum, dtype), sum.dtype())
}

/// `DoraLinearLayer`.
pub(crate) struct Dora {
    /// The lengths of the rows `[outputs]`.
    magnitude: Tensor,
    base: BaseWeight,
    peft: Transformers,
    /// Whether it is torchtune's `DoRALinear` in the place of PEFT's layer.
    torchtune: bool,
}

impl Dora {
    pub(crate) fn new(
        magnitude: Tensor,
        base: BaseWeight,
        (facts, torchtune): (Facts, bool),
    ) -> Self {
        Self {
            magnitude,
            base,
            peft: facts.transformers,
            torchtune,
        }
    }

    /// Whether it is torchtune's.
    pub(crate) fn is_of_torchtune(&self) -> bool {
        self.torchtune
    }

    /// `DoRALinear.forward` after the layer's result `base_out` for x, which was dropped out (`modules/peft/dora.py`,
    /// torchtune 0.6.1).
    pub(crate) fn torchtune(
        &self,
        t: &Tape,
        factors: &Factors,
        x: &Tensor,
        base_out: &Tensor,
    ) -> Tensor {
        let lora_out = factors.product(t, x);
        let eye = t.empty("eye", Shape::from([x.dim(-1), x.dim(-1)]), x.dtype());
        let lora_weight = t.t(&factors.product(t, &eye));
        let weight = self.base.full(t, x.dtype());
        let norm = weight_norm(t, &weight, &lora_weight.detach());
        let scale = {
            let quotient = t.div_by(&self.magnitude, &norm);
            t.view(&quotient, [1, norm.numel()])
        };
        let dora_out = {
            let shifted = {
                let factor = t.add_scalar(&scale);
                t.mul(&factor, base_out)
            };
            let scaled = {
                let product = t.mul(&scale, &lora_out);
                t.mul_scalar(&product)
            };
            t.add(&shifted, &scaled)
        };
        let out = t.add(&dora_out, base_out);
        // Python's locals go in the order in which they came.
        drop((lora_out, eye, lora_weight, weight, norm, scale, dora_out));
        out
    }

    /// Whether beside a quantized layer the sum is cast to the dtype of the result, not the part
    /// that is added (peft 0.21).
    pub(crate) fn casts_sum(&self) -> bool {
        self.peft == Transformers::V5
    }

    /// Whether the input lives beside what dropout makes of it (peft 0.21).
    pub(crate) fn keeps_input(&self) -> bool {
        self.peft == Transformers::V5
    }

    /// Whether the layer's result lives until the end, where it is begun with (peft 0.15).
    pub(crate) fn holds_result(&self) -> bool {
        self.peft == Transformers::V451
    }

    /// The product of the factors `[outputs, inputs]`, whose graph lives as long as it does, and
    /// before peft 0.21 the identity with which it is computed: in their dtype since (`get_lora_weight`), in that of the
    /// input before.
    fn product(&self, t: &Tape, factors: &Factors, x: &Tensor) -> (Tensor, Option<Tensor>) {
        let recent = self.peft == Transformers::V5;
        let dtype = if recent { factors.a.dtype() } else { x.dtype() };
        let eye = t.empty("eye", Shape::from([x.dim(-1), x.dim(-1)]), dtype);
        let product = t.t(&factors.product(t, &eye));
        if recent {
            drop(eye);
            (t.to(&product, x.dtype()), None)
        } else {
            (product, Some(eye))
        }
    }

    /// `DoraEmbeddingLayer.forward`: what becomes of the embedding's `result` for `indices`.
    pub(crate) fn forward_table(
        &self,
        t: &Tape,
        factors: &Factors,
        indices: &Tensor,
        result: &Tensor,
    ) -> Tensor {
        let [a, b] = factors.both();
        let (scale, added) = {
            let update = t.t(&t.matmul(&t.t(a), &t.t(b)));
            let weight = self.base.full(t, self.base.dtype());
            let norm = weight_norm(t, &weight, &update.detach());
            let scale = t.div_by(&self.magnitude, &norm);
            let product = {
                let narrow = t.embedding(&t.t(a), indices);
                let wide = t.matmul_transposed(&narrow, b);
                drop(narrow);
                t.mul(&scale, &wide)
            };
            (scale, t.mul_scalar(&product))
        };
        let scaled = t.mul(&scale, result);
        t.add(&scaled, &added)
    }

    /// `DoraLinearLayer.forward`: the tensor that is added to the layer's `result` for `x`. Without a result
    /// to begin with (x was dropped out; always in peft 0.13) the layer is computed once more.
    pub(crate) fn forward(
        &self,
        t: &Tape,
        factors: &Factors,
        x: &Tensor,
        result: Option<&Tensor>,
        bias: Option<&Tensor>,
    ) -> Tensor {
        let oldest = self.peft == Transformers::V448;
        let early = oldest.then(|| factors.product(t, x));
        let (update, _eye) = self.product(t, factors, x);
        let weight = self.base.full(t, x.dtype());
        let norm = weight_norm(t, &weight, &update.detach());
        let scale = {
            let scale = t.div_by(&self.magnitude, &norm);
            t.view(&scale, [1, norm.numel()])
        };
        let product = early.unwrap_or_else(|| factors.product(t, x));
        let early = oldest.then(|| t.add_scalar(&scale));
        let base = match (result.filter(|_| !oldest), bias) {
            (None, _) => t.linear(x, &self.base.again(t, weight.clone()), None),
            (Some(result), None) => result.clone(),
            (Some(result), Some(bias)) => t.add(result, bias),
        };
        let shifted = {
            let factor = early.unwrap_or_else(|| t.add_scalar(&scale));
            t.mul(&factor, &base)
        };
        // In peft 0.13 nobody else holds it.
        let base = (!oldest).then_some(base);
        let scaled = {
            let scaled = t.mul(&scale, &product);
            t.mul_scalar(&scaled)
        };
        let added = t.add(&shifted, &scaled);
        drop((shifted, scaled));
        // Python's locals go in the order in which they came.
        drop((base, update, weight, norm, scale));
        added
    }
}
