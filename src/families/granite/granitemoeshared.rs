//! `granitemoeshared` (`models/granitemoeshared, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `granitemoeshared`.
pub(crate) const GRANITEMOESHARED: Family = Family {
    model_types: &["granitemoeshared"],
    source: "models/granitemoeshared, transformers 5.23",
    decoder: Some(DecoderType::GraniteMoeShared),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: None,
    plain_logits: false,
    fixtures: &["granitemoe_before_5.jsonl", "mixtures.jsonl", "moe.jsonl"],
    published: &[],
    ..LLAMA
};
