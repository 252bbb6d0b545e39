//! `qwen3_next` (`models/qwen3_next, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `qwen3_next`.
pub(crate) const QWEN3_NEXT: Family = Family {
    model_types: &["qwen3_next"],
    source: "models/qwen3_next, transformers 5.23",
    decoder: Some(DecoderType::Qwen3Next),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    since: crate::model::Since::V5,
    // Support.
    fixtures: &["qwen3_next.jsonl"],
    published: &[("qwen3-next-80b-a3b", 79_674_391_296)],
    ..LLAMA
};
