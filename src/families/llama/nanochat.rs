//! `nanochat` (`models/nanochat, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `nanochat`.
pub(crate) const NANOCHAT: Family = Family {
    model_types: &["nanochat"],
    source: "models/nanochat, transformers 5.23",
    decoder: Some(DecoderType::NanoChat),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: None,
    fixtures: &["further_decoders.jsonl"],
    published: &[("nanochat-d32", 1_879_048_192)],
    ..LLAMA
};
