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
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    generation: crate::model::Generation {
        special_tokens: 0,
        ..crate::model::Generation::DECODER
    },
    // Support.
    fixtures: &["olmo_hybrid.jsonl"],
    published: &[],
    ..LLAMA
};
