//! `gemma3n_text` (`models/gemma3n, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, EmbeddingScale, Family, LayerNames, Masks, NormKind, Style};

/// `gemma3n_text`.
pub(crate) const GEMMA3N_TEXT: Family = Family {
    model_types: &["gemma3n_text"],
    source: "models/gemma3n, transformers 5.23",
    decoder: Some(DecoderType::Gemma3n),
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
    fixtures: &["gemma3n.jsonl"],
    published: &[
        ("gemma-3n-e2b", 4_435_182_688),
        ("gemma-3n-e4b", 6_835_235_568),
    ],
    ..LLAMA
};
