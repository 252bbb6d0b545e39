//! The Llama family: llama, mistral, qwen2, qwen3 (`models/llama/modeling_llama.py` and kin).

use super::attention::AttentionOptions;
use super::builder::Builder;
use super::causal::{Layer, Masks, Shared, Style};
use super::decoder::Block;
use super::facts::{Facts, MaskStyle, Transformers};
use super::gated_mlp::GatedMlp;
use super::layers::RmsNorm;
use super::norm::NormKind;
use super::rotary_attention::{HeadNorm, RotaryAttention};
use crate::spec::{DecoderConfig, DecoderType};
use crate::tape::{Tape, Tensor};

/// `LlamaDecoderLayer`.
pub(super) struct LlamaLayer {
    attention: RotaryAttention,
    mlp: GatedMlp,
    norms: [RmsNorm; 2],
}

/// How a member of the family makes its masks. Those that can have a window compare positions in
/// transformers 4; since transformers 5 Qwen's has one mask a kind of layer.
fn masks(c: &DecoderConfig, facts: Facts) -> (Masks, MaskStyle) {
    let style = match (facts.transformers, c.model_type) {
        (Transformers::V5, _) | (_, DecoderType::Llama) => facts.mask_style(),
        (Transformers::V448, DecoderType::Qwen2) => MaskStyle::Triangle,
        (_, DecoderType::Mistral) if c.sliding_window.is_none() => MaskStyle::Compared,
        _ => MaskStyle::Window,
    };
    let by_kind = c.model_type != DecoderType::Mistral && facts.transformers == Transformers::V5;
    let masks = if by_kind && c.windowed.contains(&true) {
        Masks::Both
    } else {
        Masks::One
    };
    (masks, style)
}

impl Layer for LlamaLayer {
    fn style(c: &DecoderConfig, facts: Facts) -> Style {
        let (masks, mask_style) = masks(c, facts);
        Style {
            masks,
            mask_style,
            ..Style::llama(facts)
        }
    }

    fn new(b: &Builder, c: &DecoderConfig, options: AttentionOptions) -> Self {
        let head_norm = if c.model_type == DecoderType::Qwen3 {
            HeadNorm::Rows(NormKind::Llama)
        } else {
            HeadNorm::None
        };
        let (hidden, intermediate) = (c.hidden_size, c.intermediate_size);
        let attention = RotaryAttention::new(&b.at("self_attn"), c, options, head_norm, false);
        let mlp = b.at("mlp");
        Self {
            attention,
            mlp: GatedMlp::with_bias(&mlp, hidden, intermediate, c.mlp_bias, Tape::silu),
            norms: ["input_layernorm", "post_attention_layernorm"]
                .map(|name| RmsNorm::new(&b.at(name), hidden)),
        }
    }
}

impl Block for LlamaLayer {
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
