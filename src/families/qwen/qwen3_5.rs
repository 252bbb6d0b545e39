//! `qwen3_5` (`models/qwen3_5, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `qwen3_5`.
pub(crate) const QWEN3_5: Family = Family {
    model_types: &["qwen3_5", "qwen3_5_text"],
    source: "models/qwen3_5, transformers 5.23",
    decoder: Some(DecoderType::Qwen35),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: None,
    attention_support: crate::model::AttentionSupport {
        check: Some(crate::families::hybrid::check_delta_rule),
        ..crate::model::AttentionSupport::ALL
    },
    fixtures: &["qwen3_next.jsonl"],
    published: &[("qwen3.5-9b", 8_953_803_264)],
    ..LLAMA
};
