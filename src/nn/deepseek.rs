//! `DeepSeek` V2 and V3 (`models/deepseek_{v2,v3}/modeling_*.py`).

use super::attention::AttentionOptions;
use super::builder::Builder;
use super::causal::{Layer, Shared, Style};
use super::decoder::Block;
use super::facts::Facts;
use super::latent_attention::LatentAttention;
use super::layers::RmsNorm;
use super::moe::Mlp;
use crate::spec::{DecoderConfig, Latent, LatentRotary};
use crate::tape::{Tape, Tensor};

/// `DeepseekV3DecoderLayer`.
pub(super) struct DeepseekLayer {
    attention: LatentAttention,
    mlp: Mlp,
    norms: [RmsNorm; 2],
}

impl Layer for DeepseekLayer {
    fn style(c: &DecoderConfig, facts: Facts) -> Style {
        let complex = |latent: &Latent| latent.rotary == LatentRotary::Complex;
        Style {
            complex_rotary: c.latent.as_ref().is_some_and(complex),
            ..Style::llama(facts)
        }
    }

    fn new(b: &Builder, c: &DecoderConfig, options: AttentionOptions) -> Self {
        let sizes = c.latent.unwrap_or_default();
        Self {
            attention: LatentAttention::new(&b.at("self_attn"), c, sizes, options),
            mlp: Mlp::new(&b.at("mlp"), c, b.index()),
            norms: ["input_layernorm", "post_attention_layernorm"]
                .map(|name| RmsNorm::new(&b.at(name), c.hidden_size)),
        }
    }
}

impl Block for DeepseekLayer {
    type Shared = Shared;

    fn outliving(shared: &Shared, facts: Facts) -> Shared {
        shared.outliving(facts)
    }

    fn forward(&self, t: &Tape, hidden: &Tensor, shared: &Shared) -> Tensor {
        let [input, post_attention] = &self.norms;
        let (attended, weights) = {
            let x = t.scoped("input_layernorm", None, || input.forward(t, hidden));
            t.scoped("self_attn", None, || self.attention.forward(t, &x, shared))
        };
        let residual = t.add(hidden, &attended);
        drop(attended);
        let changed = {
            let x = t.scoped("post_attention_layernorm", None, || {
                post_attention.forward(t, &residual)
            });
            t.scoped("mlp", None, || self.mlp.forward(t, &x))
        };
        let out = t.add(&residual, &changed);
        drop((changed, weights));
        out
    }
}
