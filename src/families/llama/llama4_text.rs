//! `llama4_text` (`models/llama4, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `llama4_text`.
pub(crate) const LLAMA4_TEXT: Family = Family {
    model_types: &["llama4_text"],
    source: "models/llama4, transformers 5.23",
    decoder: Some(DecoderType::Llama4),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: None,
    adapter_support: crate::model::AdapterSupport::LINEAR_ROUTERS,
    fixtures: &["llama4.jsonl"],
    published: &[("llama-4-scout", 107_769_861_120)],
    ..LLAMA
};
