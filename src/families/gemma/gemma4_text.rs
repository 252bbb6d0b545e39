//! `gemma4_text` (`models/gemma4, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `gemma4_text`.
pub(crate) const GEMMA4_TEXT: Family = Family {
    model_types: &["gemma4_text"],
    source: "models/gemma4, transformers 5.23",
    decoder: Some(DecoderType::Gemma4),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: None,
    adapter_support: crate::model::AdapterSupport::SCALED_TABLE,
    fixtures: &["gemma4.jsonl"],
    published: &[
        ("gemma-4-e2b", 4_628_569_344),
        ("gemma-4-26b-a4b", 25_233_141_760),
        ("gemma-4-31b", 30_697_345_280),
    ],
    ..LLAMA
};
