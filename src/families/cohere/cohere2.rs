//! `cohere2` (`models/cohere2, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `cohere2`.
pub(crate) const COHERE2: Family = Family {
    model_types: &["cohere2"],
    source: "models/cohere2, transformers 5.23",
    decoder: Some(DecoderType::Cohere2),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: None,
    plain_logits: false,
    fixtures: &["cohere_stablelm.jsonl"],
    published: &[("command-r7b", 8_028_033_024)],
    ..LLAMA
};
