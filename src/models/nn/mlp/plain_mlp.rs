//! An MLP of two layers with a function between them.

use super::activation::activated;
use super::xielu::Xielu;
use crate::model::Activation;
use crate::nn::build::{Builder, Linear};
use crate::tape::{Tape, Tensor};

/// `down(act(up(x)))`.
pub(crate) struct PlainMlp {
    up: Linear,
    down: Linear,
    activation: Activation,
    /// A trained function in the place of that.
    trained: Option<Xielu>,
}

impl PlainMlp {
    /// From the first of `sizes` columns to as many, by way of the second.
    pub(crate) fn new(
        b: &Builder,
        [hidden, inner]: [u64; 2],
        [up, down]: [&'static str; 2],
        (bias, activation): (bool, Activation),
    ) -> Self {
        Self {
            up: Linear::new(&b.at(up), hidden, inner, bias),
            down: Linear::new(&b.at(down), inner, hidden, bias),
            activation,
            trained: None,
        }
    }

    /// An MLP without biases and with a trained function (`ApertusMLP`).
    pub(crate) fn with_xielu(b: &Builder, sizes: [u64; 2], names: [&'static str; 2]) -> Self {
        let layers = Self::new(b, sizes, names, (false, Activation::Silu));
        Self {
            trained: Some(Xielu::new(&b.at("act_fn"))),
            ..layers
        }
    }

    /// `[.., H]` to the same.
    pub(crate) fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        let active = {
            let inner = self.up.forward(t, x);
            match &self.trained {
                Some(function) => function.forward(t, &inner),
                None => activated(t, self.activation, inner),
            }
        };
        self.down.forward(t, &active)
    }
}
