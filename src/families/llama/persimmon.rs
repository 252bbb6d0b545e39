//! `persimmon` (`models/persimmon, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `persimmon`.
pub(crate) const PERSIMMON: Family = Family {
    model_types: &["persimmon"],
    source: "models/persimmon, transformers 5.23",
    decoder: Some(DecoderType::Persimmon),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: None,
    fixtures: &["further_decoders.jsonl"],
    published: &[("persimmon-8b", 9_397_175_296)],
    ..LLAMA
};
