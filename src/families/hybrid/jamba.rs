//! `jamba` (`models/jamba, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `jamba`.
pub(crate) const JAMBA: Family = Family {
    model_types: &["jamba"],
    source: "models/jamba, transformers 5.23",
    decoder: Some(DecoderType::Jamba),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: None,
    fixtures: &["jamba.jsonl"],
    published: &[("jamba-v0.1", 51_570_323_328)],
    ..LLAMA
};
