//! An MLP of two layers with a function between them.

use super::activation::activated;
use super::builder::Builder;
use super::layers::Linear;
use crate::spec::Activation;
use crate::tape::{Tape, Tensor};

/// `down(act(up(x)))`.
pub(super) struct PlainMlp {
    up: Linear,
    down: Linear,
    activation: Activation,
}

impl PlainMlp {
    /// From the first of `sizes` columns to as many, by way of the second.
    pub(super) fn new(
        b: &Builder,
        [hidden, inner]: [u64; 2],
        [up, down]: [&'static str; 2],
        (bias, activation): (bool, Activation),
    ) -> Self {
        Self {
            up: Linear::new(&b.at(up), hidden, inner, bias),
            down: Linear::new(&b.at(down), inner, hidden, bias),
            activation,
        }
    }

    /// `[.., H]` to the same.
    pub(super) fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        let active = {
            let inner = self.up.forward(t, x);
            activated(t, self.activation, inner)
        };
        self.down.forward(t, &active)
    }
}
