//! `gemma3_text` (`models/gemma3, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `gemma3_text`.
pub(crate) const GEMMA3_TEXT: Family = Family {
    model_types: &["gemma3_text"],
    source: "models/gemma3, transformers 5.23",
    decoder: Some(DecoderType::Gemma3),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: Some(crate::model::LigerSupport {
        norms_in_place: false,
        ..crate::model::LigerSupport::GEGLU
    }),
    adapter_support: crate::model::AdapterSupport::SCALED_TABLE,
    fixtures: &["gemma.jsonl"],
    published: &[("gemma-3-1b", 999_885_952)],
    ..LLAMA
};
