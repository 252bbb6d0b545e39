//! The MLP of a layer as the families write it.

use super::activation::activated;
use super::attention::dropped;
use super::builder::Builder;
use super::gated_mlp::GatedMlp;
use super::layers::Linear;
use super::moe;
use crate::spec::{Activation, DecoderConfig};
use crate::tape::{Tape, Tensor};

/// What stands between two norms beside attention.
pub(super) enum FeedForward {
    /// A gated MLP, or experts.
    Gated(moe::Mlp),
    /// Two layers with a function between them.
    Plain {
        layers: Box<[Linear; 2]>,
        activation: Activation,
        dropout: bool,
    },
}

impl FeedForward {
    /// The MLP of layer `index`: gated, or of two layers that are called `plain`.
    pub(super) fn new(
        b: &Builder,
        c: &DecoderConfig,
        index: usize,
        plain: Option<[&'static str; 2]>,
    ) -> Self {
        let (hidden, inner) = (c.hidden_size, c.intermediate_size);
        match (plain, c.activation) {
            (Some([up, down]), activation) => Self::Plain {
                layers: Box::new([
                    Linear::new(&b.at(up), hidden, inner, c.mlp_bias),
                    Linear::new(&b.at(down), inner, hidden, c.mlp_bias),
                ]),
                activation,
                dropout: c.dropout.residual,
            },
            (None, Activation::Gelu) => Self::Gated(moe::Mlp::Dense(Box::new(
                GatedMlp::with_bias(b, hidden, inner, c.mlp_bias, Tape::gelu),
            ))),
            (None, _) => Self::Gated(moe::Mlp::new(b, c, index)),
        }
    }

    /// `[B, S, H]` to the same.
    pub(super) fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        match self {
            Self::Gated(mlp) => mlp.forward(t, x),
            Self::Plain {
                layers,
                activation,
                dropout,
            } => {
                let [up, down] = &**layers;
                let active = {
                    let inner = up.forward(t, x);
                    activated(t, *activation, inner)
                };
                let out = down.forward(t, &active);
                drop(active);
                dropped(t, out, *dropout)
            }
        }
    }
}
