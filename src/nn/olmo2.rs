//! `OLMo` 2 (`models/olmo2/modeling_olmo2.py`).

use super::attention::AttentionOptions;
use super::builder::Builder;
use super::causal::{Layer, Shared, Style};
use super::decoder::Block;
use super::facts::{Facts, Transformers};
use super::gated_mlp::GatedMlp;
use super::norm::{Norm, NormKind};
use super::rotary_attention::{HeadNorm, RotaryAttention};
use crate::spec::DecoderConfig;
use crate::tape::{Tape, Tensor};

/// `Olmo2DecoderLayer`: norms after attention and MLP.
pub(super) struct Olmo2Layer {
    attention: RotaryAttention,
    mlp: GatedMlp,
    norms: [Norm; 2],
}

/// Since transformers 5 weights of norms and rotary embeddings are applied in float32.
fn is_wide(facts: Facts) -> bool {
    facts.transformers == Transformers::V5
}

fn norm_kind(facts: Facts) -> NormKind {
    if is_wide(facts) {
        NormKind::Olmo2
    } else {
        NormKind::Llama
    }
}

impl Layer for Olmo2Layer {
    fn style(_: &DecoderConfig, facts: Facts) -> Style {
        Style {
            norm: norm_kind(facts),
            wide_rotary: is_wide(facts),
            ..Style::llama(facts)
        }
    }

    fn new(b: &Builder, c: &DecoderConfig, options: AttentionOptions) -> Self {
        let (kind, wide) = (norm_kind(options.facts), is_wide(options.facts));
        let style = HeadNorm::Whole(kind);
        Self {
            attention: RotaryAttention::new(&b.at("self_attn"), c, options, style, wide),
            mlp: GatedMlp::new(&b.at("mlp"), c.hidden_size, c.intermediate_size, Tape::silu),
            norms: ["post_attention_layernorm", "post_feedforward_layernorm"]
                .map(|name| Norm::new(&b.at(name), kind, c.hidden_size)),
        }
    }
}

impl Block for Olmo2Layer {
    type Shared = Shared;

    fn outliving(shared: &Shared, facts: Facts) -> Shared {
        shared.outliving(facts)
    }

    fn forward(&self, t: &Tape, hidden: &Tensor, shared: &Shared) -> Tensor {
        let [post_attention, post_feedforward] = &self.norms;
        let (attended, weights) = t.scoped("self_attn", None, || {
            self.attention.forward(t, hidden, shared)
        });
        let normalized = t.scoped("post_attention_layernorm", None, || {
            post_attention.forward(t, &attended)
        });
        drop(attended);
        let residual = t.add(hidden, &normalized);
        drop(normalized);
        let changed = t.scoped("mlp", None, || self.mlp.forward(t, &residual));
        let normalized = t.scoped("post_feedforward_layernorm", None, || {
            post_feedforward.forward(t, &changed)
        });
        drop(changed);
        let out = t.add(&residual, &normalized);
        drop(weights);
        out
    }
}
