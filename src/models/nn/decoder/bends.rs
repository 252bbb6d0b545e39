//! Changes by a decoder's own forward pass of its head's input and output.

use crate::model::Architecture;
use crate::nn::build::Facts;
use crate::tape::{Tape, Tensor};

/// Changes of a head's input and output.
#[derive(Clone, Copy)]
pub(super) struct Bends {
    /// Hidden states are divided by a number.
    divides_hidden: bool,
    /// Logits are multiplied by one.
    scales_logits: bool,
    /// Logits are capped.
    pub(super) caps: bool,
}

impl Bends {
    /// The changes of a model.
    pub(super) fn of(architecture: &Architecture, facts: Facts) -> Self {
        let decoder = match architecture {
            Architecture::Decoder(config) => Some(config),
            _ => None,
        };
        let style = decoder.map(|config| config.put_together(facts.transformers).0);
        Self {
            divides_hidden: style.is_some_and(|style| style.scaled_hidden),
            scales_logits: style.is_some_and(|style| style.scaled_logits),
            caps: decoder.is_some_and(|config| config.final_softcap),
        }
    }

    /// Hidden states where there are no logits: multiplied by the factor that all logits have.
    pub(super) fn without_logits(self, t: &Tape, hidden: Tensor) -> Tensor {
        if self.divides_hidden || self.scales_logits {
            t.mul_scalar(&hidden)
        } else {
            hidden
        }
    }

    /// Hidden states as a head reads them.
    pub(super) fn before(self, t: &Tape, hidden: Tensor) -> Tensor {
        if self.divides_hidden {
            t.div_scalar(&hidden)
        } else {
            hidden
        }
    }

    /// The logits after the changes.
    pub(super) fn after(self, t: &Tape, mut logits: Tensor) -> Tensor {
        if self.scales_logits {
            logits = t.mul_scalar(&logits);
        }
        if self.caps {
            logits = t.div_scalar(&logits);
            logits = t.tanh(&logits);
            logits = t.mul_scalar(&logits);
        }
        logits
    }
}
