//! `jais2` (`models/jais2, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `jais2`.
pub(crate) const JAIS2: Family = Family {
    model_types: &["jais2"],
    source: "models/jais2, transformers 5.23",
    decoder: Some(DecoderType::Jais2),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: None,
    fixtures: &["newest_decoders.jsonl"],
    published: &[("jais-2-8b", 8_090_401_280)],
    ..LLAMA
};
