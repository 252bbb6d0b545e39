//! `granitemoe_swa` (`models/granitemoe_swa, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `granitemoe_swa`.
pub(crate) const GRANITEMOE_SWA: Family = Family {
    model_types: &["granitemoe_swa"],
    source: "models/granitemoe_swa, transformers 5.23",
    decoder: Some(DecoderType::GraniteMoeSwa),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: None,
    plain_logits: false,
    attention_support: crate::model::AttentionSupport::SINKS,
    fixtures: &["granite_swa.jsonl"],
    published: &[],
    ..LLAMA
};
