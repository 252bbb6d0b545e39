//! `apertus` (`models/apertus, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `apertus`.
pub(crate) const APERTUS: Family = Family {
    model_types: &["apertus"],
    source: "models/apertus, transformers 5.23",
    decoder: Some(DecoderType::Apertus),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: None,
    fixtures: &["newest_decoders.jsonl"],
    published: &[("apertus-8b", 8_053_338_176)],
    ..LLAMA
};
