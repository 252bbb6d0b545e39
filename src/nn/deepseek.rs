//! `DeepSeek` V2 and V3 (`models/deepseek_{v2,v3}/modeling_*.py`).

use super::attention::AttentionOptions;
use super::builder::Builder;
use super::causal::{Layer, Shared, Style};
use super::decoder::Block;
use super::facts::Facts;
use super::latent_attention::LatentAttention;
use super::pre_norm::PreNorm;
use crate::spec::{DecoderConfig, Latent, LatentRotary};
use crate::tape::{Tape, Tensor};

/// `DeepseekV3DecoderLayer`.
pub(super) struct DeepseekLayer {
    attention: LatentAttention,
    around: PreNorm,
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
            around: PreNorm::new(b, c),
        }
    }
}

impl Block for DeepseekLayer {
    type Shared = Shared;

    fn outliving(shared: &Shared, facts: Facts) -> Shared {
        shared.outliving(facts)
    }

    fn forward(&self, t: &Tape, hidden: &Tensor, shared: &Shared) -> Tensor {
        self.around
            .forward(t, hidden, |x| self.attention.forward(t, x, shared))
    }
}
