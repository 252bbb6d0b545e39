//! `arcee` (`models/arcee, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `arcee`.
pub(crate) const ARCEE: Family = Family {
    model_types: &["arcee"],
    source: "models/arcee, transformers 5.23",
    decoder: Some(DecoderType::Arcee),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: None,
    fixtures: &["smollm3_exaone4_seed_oss.jsonl"],
    published: &[],
    ..LLAMA
};
