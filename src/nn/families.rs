//! How each family of [`DecoderLayer`](super::layer::DecoderLayer)s and the model around them are
//! put together (`models/*/modeling_*.py` of transformers 5.23).

use super::causal::{EmbeddingScale, Masks, Style};
use super::facts::{Facts, MaskStyle, Transformers};
use super::layer::Parts;
use super::norm::NormKind;
use super::rotary_attention::{HeadNorm, Turn};
use crate::spec::{DecoderConfig, DecoderType, Latent, LatentRotary};

/// The norms of layers that have them before and after attention and MLP, as Gemma 2 names them.
const AROUND: [Option<&str>; 4] = [
    Some("input_layernorm"),
    Some("post_attention_layernorm"),
    Some("pre_feedforward_layernorm"),
    Some("post_feedforward_layernorm"),
];
/// The norms of layers that have them after attention and MLP.
const AFTER: [Option<&str>; 4] = [
    None,
    Some("post_attention_layernorm"),
    None,
    Some("post_feedforward_layernorm"),
];

/// What differs from Llama.
pub(super) fn of(c: &DecoderConfig, facts: Facts) -> (Style, Parts) {
    let recent = facts.transformers == Transformers::V5;
    let (mut style, mut parts) = (Style::llama(facts), Parts::LLAMA);
    match c.model_type {
        DecoderType::Gemma | DecoderType::Gemma2 | DecoderType::Gemma3 => {
            gemma(c.model_type, recent, &mut style, &mut parts);
        }
        DecoderType::Olmo2 => {
            parts.norms = AFTER;
            if recent {
                // Weights of norms and rotary embeddings are applied in float32.
                style.norm = NormKind::Olmo2;
                style.wide_rotary = true;
                parts.turn = Turn::WideHalves;
            }
            parts.head_norm = HeadNorm::Whole(style.norm);
        }
        DecoderType::DeepseekV2 | DecoderType::DeepseekV3 => {
            let complex = |latent: &Latent| latent.rotary == LatentRotary::Complex;
            style.complex_rotary = c.latent.as_ref().is_some_and(complex);
        }
        _ => {
            (style.masks, style.masking) = masks(c, facts);
            parts.head_norm = match c.model_type {
                DecoderType::Qwen3 | DecoderType::Qwen3Moe => HeadNorm::Rows(NormKind::Llama),
                DecoderType::Olmoe => HeadNorm::Whole(NormKind::Llama),
                _ => HeadNorm::None,
            };
        }
    }
    (style, parts)
}

/// Gemma, Gemma 2 and the text part of Gemma 3.
fn gemma(model_type: DecoderType, recent: bool, style: &mut Style, parts: &mut Parts) {
    let third = model_type == DecoderType::Gemma3;
    style.norm = NormKind::Gemma;
    style.embedding_scale = if recent || third {
        EmbeddingScale::Buffer
    } else {
        EmbeddingScale::Late
    };
    if model_type == DecoderType::Gemma {
        return;
    }
    style.masks = if recent { Masks::Both } else { Masks::Narrowed };
    style.local_rotary = third;
    parts.norms = AROUND;
    if third {
        parts.head_norm = HeadNorm::Heads(NormKind::Gemma);
    }
}

/// How a member of Llama's family makes its masks. Those that can have a window compare positions
/// in transformers 4; since transformers 5 Qwen's has one mask a kind of layer.
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
