//! `granite_swa` (`models/granite_swa, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `granite_swa`.
pub(crate) const GRANITE_SWA: Family = Family {
    model_types: &["granite_swa"],
    source: "models/granite_swa, transformers 5.23",
    decoder: Some(DecoderType::GraniteSwa),
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
