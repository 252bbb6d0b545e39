//! The MLP of a layer as the families write it.

use super::activation::activated;
use super::attention::dropped;
use super::builder::Builder;
use super::facts::Transformers;
use super::gated_mlp::GatedMlp;
use super::layers::Linear;
use super::moe;
use crate::spec::{Activation, DecoderConfig, DecoderType, MlpNames};
use crate::tape::{Tape, Tensor};

/// What stands beside attention in a layer.
pub(super) struct FeedForward {
    name: &'static str,
    mlp: Mlp,
    /// Whether its result is dropped out.
    dropout: bool,
}

enum Mlp {
    /// A gated MLP, or experts.
    Gated(moe::Mlp),
    /// A gated MLP whose first two layers are one.
    Fused(FusedMlp),
    /// Two layers with a function between them.
    Plain(Box<[Linear; 2]>, Activation),
}

/// `Phi3MLP`: `down_proj(up * act(gate))` of `[gate, up] = gate_up_proj(x)`.
pub(super) struct FusedMlp {
    gate_up_proj: Linear,
    down_proj: Linear,
    intermediate: u64,
    /// Whether Liger computes the product.
    liger: bool,
}

impl FeedForward {
    /// The MLP of a layer.
    pub(super) fn new(layer: &Builder, c: &DecoderConfig, names: MlpNames) -> Self {
        let numbered = c.model_type == DecoderType::Mixtral;
        let name = if numbered && layer.facts().transformers != Transformers::V5 {
            "block_sparse_moe"
        } else {
            "mlp"
        };
        let b = &layer.at(name);
        let (hidden, inner, bias) = (c.hidden_size, c.intermediate_size, c.mlp_bias);
        let mlp = match (names, c.activation) {
            (MlpNames::Plain([up, down]), activation) => Mlp::Plain(
                Box::new([
                    Linear::new(&b.at(up), hidden, inner, bias),
                    Linear::new(&b.at(down), inner, hidden, bias),
                ]),
                activation,
            ),
            (MlpNames::Fused, _) => Mlp::Fused(FusedMlp::new(b, c)),
            (MlpNames::Gated, Activation::Gelu | Activation::Relu) => {
                let function = match c.activation {
                    Activation::Relu => Tape::relu,
                    _ => Tape::gelu,
                };
                let mlp = GatedMlp::with_bias(b, hidden, inner, bias, function);
                Mlp::Gated(moe::Mlp::Dense(Box::new(mlp)))
            }
            (MlpNames::Gated, _) => Mlp::Gated(moe::Mlp::new(b, c, layer)),
        };
        let dropout = c.dropout.residual;
        Self { name, mlp, dropout }
    }

    /// `[B, S, H]` to the same, with a router's logits where the layer is given them.
    pub(super) fn forward(&self, t: &Tape, x: &Tensor) -> (Tensor, Option<Tensor>) {
        t.scoped(self.name, None, || {
            let (out, logits) = self.result(t, x);
            (dropped(t, out, self.dropout), logits)
        })
    }

    fn result(&self, t: &Tape, x: &Tensor) -> (Tensor, Option<Tensor>) {
        let out = match &self.mlp {
            Mlp::Gated(mlp) => return mlp.forward(t, x),
            Mlp::Fused(mlp) => mlp.forward(t, x),
            Mlp::Plain(layers, activation) => {
                let [up, down] = &**layers;
                let active = {
                    let inner = up.forward(t, x);
                    activated(t, *activation, inner)
                };
                down.forward(t, &active)
            }
        };
        (out, None)
    }
}

impl FusedMlp {
    pub(super) fn new(b: &Builder, c: &DecoderConfig) -> Self {
        let (hidden, intermediate) = (c.hidden_size, c.intermediate_size);
        Self {
            gate_up_proj: Linear::new(&b.at("gate_up_proj"), hidden, 2 * intermediate, false),
            down_proj: Linear::new(&b.at("down_proj"), intermediate, hidden, false),
            intermediate,
            liger: b.liger().gated,
        }
    }

    /// `[B, S, H]` to the same.
    pub(super) fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        let [gate, up] = {
            let both = self.gate_up_proj.forward(t, x);
            t.split(&both, [self.intermediate; 2], -1)
        };
        let product = if self.liger {
            t.liger_gated(&gate, &up)
        } else {
            let active = t.silu(&gate);
            t.mul(&up, &active)
        };
        drop(up);
        self.down_proj.forward(t, &product)
    }
}
