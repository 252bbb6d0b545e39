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
    liger: None,
    attention_support: crate::model::AttentionSupport {
        check: Some(crate::families::hybrid::check_delta_rule),
        ..crate::model::AttentionSupport::ALL
    },
    fixtures: &["olmo_hybrid.jsonl"],
    published: &[],
    ..LLAMA
};
