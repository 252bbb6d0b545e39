//! The MLP of a layer as the families write it.

use super::activation::relu_squared;
use super::gated_mlp::GatedMlp;
use super::plain_mlp::PlainMlp;
use crate::model::{Activation, BESIDE, DecoderConfig, LayerNames, MlpNames, Transformers};
use crate::nn::attention::dropped;
use crate::nn::build::{Builder, Linear, RmsNorm};
use crate::nn::experts::moe;
use crate::tape::{Called, Tape, Tensor};

/// The module beside attention in a layer.
pub(crate) struct FeedForward {
    name: &'static str,
    mlp: Mlp,
    /// An expert that all tokens go through, beside the mixture.
    beside: Option<FusedMlp>,
    /// Whether its result is dropped out.
    dropout: bool,
    /// Whether DeepSpeed takes it for one module.
    is_leaf: bool,
}

enum Mlp {
    /// A gated MLP, or experts.
    Gated(moe::Mlp),
    /// A gated MLP whose first two layers are one.
    Fused(FusedMlp),
    /// A gated MLP whose gate and result are multiplied by numbers.
    Multiplied(Box<GatedMlp>),
    /// Two layers with a function between them.
    Plain(Box<PlainMlp>),
}

/// `Phi3MLP`: `down_proj(up * act(gate))` of `[gate, up] = gate_up_proj(x)`.
pub(crate) struct FusedMlp {
    gate_up_proj: Linear,
    down_proj: Linear,
    intermediate: u64,
    /// Whether the gate is the first factor of the product.
    gate_first: bool,
    /// Whether Liger computes the product.
    liger: bool,
}

impl FeedForward {
    /// The MLP of a layer.
    pub(crate) fn new(layer: &Builder, c: &DecoderConfig, names: &LayerNames) -> Self {
        let four = layer.facts().transformers != Transformers::V5;
        let name = names.feed_forward(four);
        let b = &layer.at(name);
        let (hidden, inner, bias) = (c.hidden_size, c.intermediate_size, c.mlp_bias);
        let mlp = match (names.mlp, c.activation) {
            (MlpNames::Plain(names), activation) => {
                let plain = || PlainMlp::new(b, [hidden, inner], names, (bias, activation));
                match moe::SparseMoe::of_layer(b, c, layer) {
                    Some(sparse) => Mlp::Gated(moe::Mlp::Sparse(Box::new(sparse))),
                    None => Mlp::Plain(Box::new(plain())),
                }
            }
            (MlpNames::Xielu(names), _) => {
                Mlp::Plain(Box::new(PlainMlp::with_xielu(b, [hidden, inner], names)))
            }
            (MlpNames::Multiplied, _) => {
                let mlp = GatedMlp::with_bias(b, hidden, inner, bias, Tape::silu);
                Mlp::Multiplied(Box::new(mlp))
            }
            (MlpNames::Numbered, _) => {
                let mlp = || GatedMlp::named(b, [hidden, inner], ["w1", "w3", "w2"]);
                Mlp::Gated(match moe::SparseMoe::of_layer(b, c, layer) {
                    Some(sparse) => moe::Mlp::Sparse(Box::new(sparse)),
                    None => moe::Mlp::Dense(Box::new(mlp())),
                })
            }
            (MlpNames::Fused { names, gate_first }, _) => Mlp::Fused(FusedMlp {
                gate_first,
                ..FusedMlp::new(b, [hidden, inner], names)
            }),
            (MlpNames::Gated, Activation::Gelu | Activation::Relu | Activation::Relu2) => {
                let function = match c.activation {
                    Activation::Relu => Tape::relu,
                    Activation::Relu2 => relu_squared,
                    _ => Tape::gelu,
                };
                let mlp = GatedMlp::with_bias(b, hidden, inner, bias, function);
                let norm = names.sub_norms[1].map(|name| RmsNorm::new(&b.at(name), inner));
                let mlp = mlp.normalized(norm);
                Mlp::Gated(moe::Mlp::Dense(Box::new(mlp)))
            }
            (MlpNames::Gated, _) => Mlp::Gated(moe::Mlp::new(b, c, layer)),
        };
        let dropout = c.dropout.residual;
        let sparse = matches!(mlp, Mlp::Gated(moe::Mlp::Sparse(_)));
        Self {
            name,
            mlp,
            beside: None,
            dropout,
            is_leaf: sparse && names.mixture_is_leaf,
        }
    }

    /// Gives the mixture the expert beside it that the config has (`GraniteMoeSharedMLP`), which the
    /// layer builds last.
    pub(crate) fn add_expert_beside(&mut self, layer: &Builder, c: &DecoderConfig) {
        let experts = c.experts.as_ref();
        let width = experts.filter(|experts| experts.has_one_beside());
        self.beside = width.and_then(|experts| {
            let sizes = [c.hidden_size, experts.shared_intermediate_size?];
            let mlp = FusedMlp::new(&layer.at("shared_mlp"), sizes, BESIDE);
            Some(FusedMlp {
                gate_first: true,
                ..mlp
            })
        });
    }

    /// `[B, S, H]` to the same, with what stays in variables of the layer: a router's logits where it is
    /// given them.
    pub(crate) fn forward(&self, t: &Tape, x: &Tensor) -> (Tensor, Vec<Tensor>) {
        let (out, logits) = t.scoped(self.name, None, || {
            let (mut module, mut x) = (Called::bare("mlp"), x.clone());
            module.is_leaf = self.is_leaf;
            t.enter(&module, &mut [&mut x]);
            let (mut out, logits) = self.result(t, &x);
            t.leave(&module, &mut [&mut out]);
            (dropped(t, out, self.dropout), logits)
        });
        let Some(beside) = &self.beside else {
            return (out, logits.into_iter().collect());
        };
        let shared = t.scoped("shared_mlp", None, || beside.forward(t, x));
        // The layer's variable holds what the mixture gave.
        let sum = t.add(&out, &shared);
        (sum, [out].into_iter().chain(logits).collect())
    }

    fn result(&self, t: &Tape, x: &Tensor) -> (Tensor, Option<Tensor>) {
        let out = match &self.mlp {
            Mlp::Gated(mlp) => return mlp.forward(t, x),
            Mlp::Fused(mlp) => mlp.forward(t, x),
            Mlp::Multiplied(mlp) => mlp.forward_multiplied(t, x),
            Mlp::Plain(mlp) => mlp.forward(t, x),
        };
        (out, None)
    }
}

impl FusedMlp {
    /// Phi-3's and GLM's.
    pub(crate) fn of_config(b: &Builder, c: &DecoderConfig) -> Self {
        let sizes = [c.hidden_size, c.intermediate_size];
        Self::new(b, sizes, ["gate_up_proj", "down_proj"])
    }

    /// From the first of `sizes` columns to as many, by way of the second.
    fn new(b: &Builder, sizes: [u64; 2], names: [&'static str; 2]) -> Self {
        let ([hidden, intermediate], [both, down]) = (sizes, names);
        Self {
            gate_up_proj: Linear::new(&b.at(both), hidden, 2 * intermediate, false),
            down_proj: Linear::new(&b.at(down), intermediate, hidden, false),
            intermediate,
            gate_first: false,
            liger: b.liger_gates(),
        }
    }

    /// `[B, S, H]` to the same.
    pub(crate) fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        let [gate, up] = {
            let both = self.gate_up_proj.forward(t, x);
            t.split(&both, [self.intermediate; 2], -1)
        };
        let product = if self.liger {
            t.liger_gated(&gate, &up)
        } else {
            let active = t.silu(&gate);
            if self.gate_first {
                t.mul(&active, &up)
            } else {
                t.mul(&up, &active)
            }
        };
        drop(up);
        self.down_proj.forward(t, &product)
    }
}
