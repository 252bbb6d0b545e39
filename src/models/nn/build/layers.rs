//! Building blocks shared by architectures.

use super::builder::Builder;
use super::division::Division;
use super::four_bit::Linear4bit;
use super::int8::Linear8bit;
use super::nf4::LinearNf4;
use crate::ask::QuantizationType;
use crate::model::TensorStyle;
use crate::nn::adapters::{Adapter, BaseWeight, Slot, first_factor, running};
use crate::tape::{LoraLayer, LoraWeight, Tape, Tensor};
use crate::units::{DType, Shape};

/// `torch.nn.Linear`.
pub(crate) struct Linear {
    weight: Weight,
    adapter: Option<Slot>,
}

/// How the weight `[outputs, inputs]` is held.
enum Weight {
    Full {
        weight: Tensor,
        bias: Option<Tensor>,
        /// How ranks divide it.
        division: Option<Box<Division>>,
    },
    FourBit(Linear4bit),
    EightBit(Linear8bit),
    Nf4(LinearNf4),
}

impl Weight {
    /// The base that an adapter reads.
    fn base(&self) -> BaseWeight {
        match self {
            Self::Full { weight, .. } => BaseWeight::Full(weight.clone()),
            Self::FourBit(layer) => layer.base(),
            Self::EightBit(layer) => layer.base(),
            Self::Nf4(layer) => layer.base(),
        }
    }
}

impl Linear {
    /// Weight `[outputs, inputs]`, bias `[outputs]`.
    pub(crate) fn new(b: &Builder, inputs: u64, outputs: u64, bias: bool) -> Self {
        Self::new_in(b, [inputs, outputs], bias, b.dtype())
    }

    /// A layer in a dtype of its own where it is not quantized.
    pub(crate) fn new_in(
        b: &Builder,
        [inputs, outputs]: [u64; 2],
        bias: bool,
        dtype: DType,
    ) -> Self {
        let weight = match b.held() {
            QuantizationType::Nf4 if b.plan.spec.is_of_torchtune() => {
                Weight::Nf4(LinearNf4::new(b, [inputs, outputs], bias))
            }
            QuantizationType::Nf4 | QuantizationType::Fp4 => {
                Weight::FourBit(Linear4bit::new(b, inputs, outputs, bias))
            }
            QuantizationType::Int8 => Weight::EightBit(Linear8bit::new(b, inputs, outputs, bias)),
            QuantizationType::None => {
                let parameter =
                    |name, shape: Shape| b.trained_copy(b.parameter_in(name, shape, dtype));
                let weight = parameter("weight", [outputs, inputs].into());
                let bias = bias.then(|| parameter("bias", [outputs].into()));
                Weight::Full {
                    weight,
                    bias,
                    division: b.division(outputs),
                }
            }
        };
        let adapter = b.adapter(inputs, outputs, false, || weight.base());
        Self { weight, adapter }
    }

    /// The layer without bias that gives the logits (`get_output_embeddings`): `[outputs, inputs]`,
    /// the input embedding's weight if it is `tied` to it. It is never quantized.
    pub(crate) fn of_output(b: &Builder, inputs: u64, outputs: u64, tied: Option<&Tensor>) -> Self {
        let own = || b.parameter("weight", [outputs, inputs]);
        if tied.is_some() && !b.quantization().is_on() {
            b.untied([outputs, inputs]);
        }
        let tied = tied.map(|table| b.tied_to(table));
        let weight = b.trained_copy(tied.unwrap_or_else(own));
        let weight = Weight::Full {
            weight,
            bias: None,
            division: b.division(outputs),
        };
        let adapter = b.adapter(inputs, outputs, true, || weight.base());
        Self { weight, adapter }
    }

    /// The layer that gives the logits with the weight `[outputs, inputs]` of another module, and a
    /// `bias` `[outputs]` of its own.
    pub(crate) fn sharing(b: &Builder, words: &Tensor, bias: Tensor) -> Self {
        let weight = Weight::Full {
            weight: words.clone(),
            bias: Some(bias),
            division: None,
        };
        let adapter = b.adapter(words.dim(1), words.dim(0), true, || weight.base());
        Self { weight, adapter }
    }

    /// The full weight `[outputs, inputs]`, which fused functions read past any adapter.
    pub(crate) fn weight(&self) -> Option<&Tensor> {
        match &self.weight {
            Weight::Full { weight, .. } => Some(weight),
            Weight::FourBit(_) | Weight::EightBit(_) | Weight::Nf4(_) => None,
        }
    }

    /// The bias `[outputs]` beside it.
    pub(crate) fn bias(&self) -> Option<Tensor> {
        match &self.weight {
            Weight::Full { bias, .. } => bias.clone(),
            Weight::FourBit(layer) => layer.bias(),
            Weight::EightBit(layer) => layer.bias(),
            Weight::Nf4(layer) => layer.bias().cloned(),
        }
    }

    /// Gives the layer a bias `[outputs]` after its weight.
    pub(crate) fn add_bias(&mut self, b: &Builder, outputs: u64) {
        if let Weight::Full { bias, .. } = &mut self.weight {
            *bias = Some(b.trained_copy(b.parameter("bias", [outputs])));
        }
    }

    /// The layer with its adapter, as kernels run both in one, where it has one that is on.
    pub(crate) fn with_adapter(&self) -> Option<(LoraLayer, &Adapter)> {
        let adapter = running(self.adapter.as_ref()?)?;
        let [a, b] = adapter.factors();
        let weight = match &self.weight {
            Weight::Full {
                weight,
                division: None,
                ..
            } => LoraWeight::Full(weight.clone()),
            Weight::FourBit(layer) => LoraWeight::FourBit(layer.packed()),
            Weight::Full { .. } | Weight::EightBit(_) | Weight::Nf4(_) => return None,
        };
        let layer = LoraLayer {
            weight,
            outputs: b.dim(0),
            factors: [a.clone(), b.clone()],
        };
        Some((layer, adapter))
    }

    /// `[.., inputs]` to `[.., outputs]`.
    pub(crate) fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        match &self.adapter {
            Some(own) => t.with_own("adapted", [first_factor(own)], x, |x| {
                self.adapted(t, x, running(own))
            }),
            None => self.adapted(t, x, None),
        }
    }

    fn adapted(&self, t: &Tape, x: &Tensor, adapter: Option<&Adapter>) -> Tensor {
        match &self.weight {
            Weight::Full {
                weight,
                bias,
                division,
            } => {
                let own = [Some(weight), bias.as_ref()];
                let bias = bias.as_ref();
                let result = match division {
                    None => t.with_own("linear", own, x, |x| t.linear(x, weight, bias)),
                    Some(division) => division.linear(t, x, weight, bias),
                };
                match adapter {
                    Some(adapter) => adapter.forward(t, x, result, bias),
                    None => result,
                }
            }
            Weight::FourBit(layer) => {
                let result = layer.forward(t, x);
                match adapter {
                    // A copy of the result, since the layer may return a view of it.
                    Some(adapter) => {
                        let copy = t.clone_contiguous(&result);
                        drop(result);
                        adapter.forward_quantized(t, x, copy, layer.bias().as_ref())
                    }
                    None => result,
                }
            }
            Weight::Nf4(layer) => {
                let result = layer.forward(t, x);
                match adapter {
                    Some(adapter) => adapter.forward(t, x, result, None),
                    None => result,
                }
            }
            Weight::EightBit(layer) => {
                let result = layer.forward(t, x);
                match adapter {
                    Some(adapter) => adapter.forward_quantized(t, x, result, layer.bias().as_ref()),
                    None => result,
                }
            }
        }
    }
}

/// `torch.nn.Embedding`.
pub(crate) struct Embedding {
    /// The module's own weight, to which others can be tied.
    pub(crate) weight: Tensor,
    /// The table that it computes with.
    table: Tensor,
    /// How ranks divide it, and its rows in all.
    division: Option<(Box<Division>, u64)>,
    adapter: Option<Slot>,
    /// Whether the result is multiplied by a number.
    scaled: bool,
    /// The module's buffer that the result is multiplied by.
    scale: Option<Tensor>,
    _copied_scale: Option<Tensor>,
    /// Whether the result is made to require a gradient.
    result_requires_gradient: bool,
    /// Whether noise is added to the result in training.
    adds_noise: bool,
}

impl Embedding {
    /// Weight `[rows, width]`.
    pub(crate) fn new(b: &Builder, rows: u64, width: u64) -> Self {
        Self {
            division: b.division(width).map(|division| (division, rows)),
            ..Self::of_weight(b, b.parameter("weight", [rows, width]))
        }
    }

    /// The same, made once more when `between` has been, in the place of a first one.
    pub(crate) fn made_again<T>(
        b: &Builder,
        rows: u64,
        width: u64,
        between: impl FnOnce() -> T,
    ) -> (Self, T) {
        let (weight, made) = b.parameter_made_again("weight", [rows, width], between);
        (Self::of_weight(b, weight), made)
    }

    /// A layer with a weight that is made.
    pub(crate) fn of_weight(b: &Builder, weight: Tensor) -> Self {
        // Columns are what adapters of embeddings call outputs.
        let base = || BaseWeight::Transposed(weight.clone());
        let table = b.trained_copy(weight.clone());
        table.note_embedding();
        Self {
            table,
            division: None,
            adapter: b.adapter_of_table(weight.dim(0), weight.dim(1), base),
            weight,
            scaled: false,
            scale: None,
            _copied_scale: None,
            result_requires_gradient: false,
            adds_noise: false,
        }
    }

    /// The same, with the result multiplied by a number.
    pub(crate) fn scaled(self) -> Self {
        Self {
            scaled: true,
            ..self
        }
    }

    /// The same, with the result multiplied by a buffer of the module, if there is one, and a copy of
    /// it if the module is copied.
    pub(crate) fn scaled_by(self, scale: Option<Tensor>, copy: Option<Tensor>) -> Self {
        Self {
            scale,
            _copied_scale: copy,
            ..self
        }
    }

    /// The model's input embedding (`get_input_embeddings`).
    pub(crate) fn of_input(b: &Builder, rows: u64, width: u64) -> Self {
        let b = &b.divided_as(TensorStyle::EmbeddingRowwise);
        Self {
            adds_noise: b.plan.spec.adds_noise,
            ..Self::new(b, rows, width).with_gradient(b.input_requires_gradient(true))
        }
    }

    /// The same, whose result is made to require a gradient where `required`.
    pub(crate) fn with_gradient(self, required: bool) -> Self {
        Self {
            result_requires_gradient: required,
            ..self
        }
    }

    /// The same, to which a trainer adds noise only where `main`.
    pub(crate) fn noisy_where(self, main: bool) -> Self {
        Self {
            adds_noise: self.adds_noise && main,
            ..self
        }
    }

    /// Indices `[..]` to `[.., width]`.
    pub(crate) fn forward(&self, t: &Tape, indices: &Tensor) -> Tensor {
        let mut result = t.with_own("embedding", [Some(&self.table)], indices, |indices| {
            let mut result = self.looked_up(t, indices);
            if self.scaled {
                result = t.mul_scalar(&result);
            }
            if let Some(scale) = &self.scale {
                let scale = t.to(scale, self.table.dtype());
                result = t.mul(&result, &scale);
            }
            // The hook that makes the result require a gradient is registered before those of wrappers.
            match self.adapter {
                None => self.required(t, result),
                Some(_) => result,
            }
        });
        if let Some(adapter) = self.adapter.as_ref().and_then(running) {
            result = adapter.forward_table(t, indices, result);
        }
        result = self.required(t, result);
        // The trainer hooks itself in when the model is ready otherwise.
        if self.adds_noise && t.is_training() {
            t.add_noise(&result)
        } else {
            result
        }
    }

    /// The result, made to require a gradient where it is (`enable_input_require_grads`).
    fn required(&self, t: &Tape, result: Tensor) -> Tensor {
        if self.result_requires_gradient && !result.requires_grad() {
            t.input_leaf(&result)
        } else {
            result
        }
    }

    /// The rows of the table.
    fn looked_up(&self, t: &Tape, indices: &Tensor) -> Tensor {
        match &self.division {
            None => t.embedding(&self.table, indices),
            Some((division, rows)) => {
                let part = t.distributed(|| t.divided_embedding(&self.table, indices, *rows));
                division.summed(t, &part)
            }
        }
    }
}

/// `LlamaRMSNorm`: computed in float32, written out in Python.
pub(crate) struct RmsNorm {
    weight: Tensor,
    /// Whether the gradient of its input takes the place of the incoming one, if it is Liger's norm.
    liger: Option<bool>,
}

impl RmsNorm {
    /// Weight `[size]`.
    pub(crate) fn new(b: &Builder, size: u64) -> Self {
        let weight = b.parameter("weight", [size]);
        let liger = b.liger().rms_norm.then(|| b.liger_norms_in_place());
        Self { weight, liger }
    }

    /// `[.., size]` to the same.
    pub(crate) fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        t.with_own("norm", [Some(&self.weight)], x, |x| self.normalize(t, x))
    }

    fn normalize(&self, t: &Tape, x: &Tensor) -> Tensor {
        if let Some(in_place) = self.liger {
            return t.liger_rms_norm(x, &self.weight, in_place);
        }
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

/// `torch.nn.LayerNorm`, or one that is written out in Python.
pub(crate) struct LayerNorm {
    weight: Tensor,
    bias: Option<Tensor>,
    in_python: bool,
}

impl LayerNorm {
    /// Weight and bias `[size]`.
    pub(crate) fn new(b: &Builder, size: u64) -> Self {
        Self::with_bias(b, size, true)
    }

    /// The same, with a bias only if `bias` says so.
    pub(crate) fn with_bias(b: &Builder, size: u64, bias: bool) -> Self {
        let weight = b.parameter("weight", [size]);
        let bias = bias.then(|| b.parameter("bias", [size]));
        Self {
            weight,
            bias,
            in_python: false,
        }
    }

    /// The same, written out in Python where `in_python`.
    pub(crate) fn written_out(self, in_python: bool) -> Self {
        Self { in_python, ..self }
    }

    /// `[.., size]` to the same.
    pub(crate) fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        let own = [Some(&self.weight), self.bias.as_ref()];
        t.with_own("norm", own, x, |x| self.normalize(t, x))
    }

    fn normalize(&self, t: &Tape, x: &Tensor) -> Tensor {
        match &self.bias {
            Some(bias) if self.in_python => self.step_by_step(t, x, bias),
            bias => t.layer_norm(x, Some(&self.weight), bias.as_ref()),
        }
    }

    /// `DebertaLayerNorm`, computed in float32.
    fn step_by_step(&self, t: &Tape, x: &Tensor, bias: &Tensor) -> Tensor {
        let wide = t.to(x, DType::Float32);
        let mean = t.mean_last(&wide);
        let centred = || t.sub(&wide, &mean);
        let variance = {
            let square = t.square(&centred());
            t.mean_last(&square)
        };
        let quotient = {
            let centred = centred();
            let deviation = {
                let shifted = t.add_scalar(&variance);
                t.sqrt(&shifted)
            };
            t.div(&centred, &deviation)
        };
        drop(wide);
        let narrow = t.to(&quotient, x.dtype());
        drop(quotient);
        let scaled = t.mul(&self.weight, &narrow);
        t.add(&scaled, bias)
    }
}
