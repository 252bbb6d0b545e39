//! `nemotron` (`models/nemotron, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `nemotron`.
pub(crate) const NEMOTRON: Family = Family {
    model_types: &["nemotron"],
    source: "models/nemotron, transformers 5.23",
    decoder: Some(DecoderType::Nemotron),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: None,
    fixtures: &["nemotron.jsonl"],
    published: &[("minitron-4b", 4_190_509_056)],
    ..LLAMA
};
