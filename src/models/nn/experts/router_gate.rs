//! The layer of a router that scores experts: one of its own, or a weight alone.

use crate::nn::adapters::{Opened, Wrapped};
use crate::nn::build::{Builder, Linear};
use crate::tape::{Tape, Tensor};
use crate::units::DType;

/// The layer that gives a score for each expert.
pub(crate) enum Gate {
    Layer(Linear),
    /// Its weight `[E, H]` and bias `[E]` belong to the router.
    Own(Wrapped, Option<Tensor>),
}

impl Gate {
    pub(crate) fn new(b: &Builder, [hidden, count]: [u64; 2], dtype: DType, biased: bool) -> Self {
        let weight = Wrapped::new_in(b, "weight", [count, hidden], dtype, false);
        Self::Own(weight, biased.then(|| b.parameter("bias", [count])))
    }

    /// The router's own parameters.
    pub(crate) fn own(&self) -> [Option<&Tensor>; 2] {
        match self {
            Self::Layer(_) => [None, None],
            Self::Own(weight, bias) => [Some(weight.own()), bias.as_ref()],
        }
    }

    pub(crate) fn open(&self, t: &Tape, tokens: &mut Tensor) -> OpenGate<'_> {
        match self {
            Self::Layer(layer) => OpenGate::Layer(layer),
            Self::Own(weight, bias) => OpenGate::Own(weight.open(t, &mut [tokens]), bias.as_ref()),
        }
    }
}

/// The gate while the router runs.
pub(crate) enum OpenGate<'a> {
    Layer(&'a Linear),
    Own(Opened<'a>, Option<&'a Tensor>),
}

impl OpenGate<'_> {
    /// The router's parameter, if it computes with something else instead.
    pub(crate) fn away(&self) -> Option<&Tensor> {
        match self {
            Self::Layer(_) => None,
            Self::Own(weight, _) => weight.away(),
        }
    }

    /// Ends what [`Gate::open`] began, with the router's results.
    pub(crate) fn close(self, t: &Tape, results: &mut [&mut Tensor]) {
        if let Self::Own(weight, _) = self {
            weight.close(t, results);
        }
    }

    /// Tokens `[N, H]` to logits `[N, E]`.
    pub(crate) fn forward(&self, t: &Tape, tokens: &Tensor) -> Tensor {
        match self {
            Self::Layer(layer) => layer.forward(t, tokens),
            Self::Own(weight, bias) => {
                let weight = weight.get(t);
                t.linear(tokens, weight, *bias)
            }
        }
    }

    /// Logits of tokens that take the dtype of the weight first.
    pub(crate) fn logits_in_its_dtype(&self, t: &Tape, tokens: &Tensor) -> Tensor {
        match self {
            Self::Layer(layer) => layer.forward(t, tokens),
            Self::Own(weight, _) => {
                let weight = weight.get(t);
                t.linear(&t.to(tokens, weight.dtype()), weight, None)
            }
        }
    }

    /// Logits by a product in float32.
    pub(crate) fn wide_logits(&self, t: &Tape, tokens: &Tensor) -> Tensor {
        let tokens = t.to(tokens, DType::Float32);
        match self {
            Self::Layer(layer) => layer.forward(t, &tokens),
            Self::Own(weight, _) => {
                let weight = t.to(weight.get(t), DType::Float32);
                t.linear(&tokens, &weight, None)
            }
        }
    }
}
