//! The Llama family: llama, mistral, qwen2, qwen3 (`models/llama/modeling_llama.py` and kin), and
//! those of its kin whose MLPs are mixtures of experts: mixtral, olmoe, `qwen2_moe`, `qwen3_moe`.

use super::attention::AttentionOptions;
use super::builder::Builder;
use super::causal::{Layer, Masks, Shared, Style};
use super::decoder::Block;
use super::facts::{Facts, MaskStyle, Transformers};
use super::norm::NormKind;
use super::pre_norm::PreNorm;
use super::rotary_attention::{HeadNorm, RotaryAttention};
use crate::spec::{DecoderConfig, DecoderType};
use crate::tape::{Tape, Tensor};

/// `LlamaDecoderLayer`.
pub(super) struct LlamaLayer {
    attention: RotaryAttention,
    around: PreNorm,
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
    let masks = match c.model_type {
        _ if facts.transformers != Transformers::V5 => Masks::One,
        DecoderType::Qwen2Moe => Masks::Both,
        DecoderType::Qwen2 | DecoderType::Qwen3 if c.windowed.contains(&true) => Masks::Both,
        _ => Masks::One,
    };
    (masks, style)
}

impl Layer for LlamaLayer {
    fn style(c: &DecoderConfig, facts: Facts) -> Style {
        let (masks, masking) = masks(c, facts);
        Style {
            masks,
            masking,
            ..Style::llama(facts)
        }
    }

    fn new(b: &Builder, c: &DecoderConfig, options: AttentionOptions) -> Self {
        let head_norm = match c.model_type {
            DecoderType::Qwen3 | DecoderType::Qwen3Moe => HeadNorm::Rows(NormKind::Llama),
            DecoderType::Olmoe => HeadNorm::Whole(NormKind::Llama),
            _ => HeadNorm::None,
        };
        Self {
            attention: RotaryAttention::new(&b.at("self_attn"), c, options, head_norm, false),
            around: PreNorm::new(b, c),
        }
    }
}

impl Block for LlamaLayer {
    type Shared = Shared;

    fn outliving(shared: &Shared, facts: Facts) -> Shared {
        shared.outliving(facts)
    }

    fn forward(&self, t: &Tape, hidden: &Tensor, shared: &Shared) -> Tensor {
        self.around
            .forward(t, hidden, |x| self.attention.forward(t, x, shared))
    }
}
