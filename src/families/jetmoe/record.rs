//! `jetmoe` (`models/jetmoe, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `jetmoe`.
pub(crate) const JETMOE: Family = Family {
    model_types: &["jetmoe"],
    source: "models/jetmoe, transformers 5.23",
    decoder: Some(DecoderType::JetMoe),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: None,
    without_checkpointing: Some("JetMoE"),
    fixtures: &["jetmoe.jsonl"],
    published: &[],
    ..LLAMA
};
