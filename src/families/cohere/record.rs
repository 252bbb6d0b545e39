//! `cohere` (`models/cohere, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `cohere`.
pub(crate) const COHERE: Family = Family {
    model_types: &["cohere"],
    source: "models/cohere, transformers 5.23",
    decoder: Some(DecoderType::Cohere),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: None,
    plain_logits: false,
    fixtures: &["cohere_stablelm.jsonl"],
    published: &[
        ("command-r-35b", 34_980_831_232),
        ("aya-23-8b", 8_028_033_024),
    ],
    ..LLAMA
};
