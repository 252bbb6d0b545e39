//! `granitemoe` (`models/granitemoe, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `granitemoe`.
pub(crate) const GRANITEMOE: Family = Family {
    model_types: &["granitemoe"],
    source: "models/granitemoe, transformers 5.23",
    decoder: Some(DecoderType::GraniteMoe),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: None,
    plain_logits: false,
    fixtures: &["granitemoe_before_5.jsonl", "mixtures.jsonl", "moe.jsonl"],
    published: &[
        ("granite-3.1-1b-a400m", 1_334_628_352),
        ("granite-3.1-3b-a800m", 3_298_793_472),
    ],
    ..LLAMA
};
