//! `gemma4_text` (`models/gemma4, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, EmbeddingScale, Family, LayerNames, Masks, NormKind, Style};

/// `gemma4_text`.
pub(crate) const GEMMA4_TEXT: Family = Family {
    model_types: &["gemma4_text"],
    source: "models/gemma4, transformers 5.23",
    decoder: Some(DecoderType::Gemma4),
    // Sizes and options.
    // Names.
    names: LayerNames {
        norms: [
            Some("input_layernorm"),
            Some("post_attention_layernorm"),
            Some("pre_feedforward_layernorm"),
            Some("post_feedforward_layernorm"),
        ],
        ..LayerNames::LLAMA
    },
    // Parts.
    style: Style {
        norm: NormKind::Power,
        embedding_scale: EmbeddingScale::Buffer,
        masks: Masks::Both,
        local_rotary: true,
        ..Style::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    fixtures: &["gemma4.jsonl"],
    published: &[
        ("gemma-4-e2b", 4_628_569_344),
        ("gemma-4-26b-a4b", 25_233_141_760),
        ("gemma-4-31b", 30_697_345_280),
    ],
    ..LLAMA
};
