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
    since: crate::model::Since::V5,
    // Support.
    fixtures: &["qwen3_next.jsonl"],
    published: &[("qwen3.5-9b", 8_953_803_264)],
    ..LLAMA
};
