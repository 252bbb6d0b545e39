//! `olmo_hybrid` (`models/olmo_hybrid, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `olmo_hybrid`.
pub(crate) const OLMO_HYBRID: Family = Family {
    model_types: &["olmo_hybrid"],
    source: "models/olmo_hybrid, transformers 5.23",
    decoder: Some(DecoderType::OlmoHybrid),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    fixtures: &["olmo_hybrid.jsonl"],
    published: &[],
    ..LLAMA
};
