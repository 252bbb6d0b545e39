//! `cohere2_moe` (`models/cohere2_moe, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `cohere2_moe`.
pub(crate) const COHERE2_MOE: Family = Family {
    model_types: &["cohere2_moe"],
    source: "models/cohere2_moe, transformers 5.23",
    decoder: Some(DecoderType::Cohere2Moe),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: None,
    plain_logits: false,
    fixtures: &["further_decoders.jsonl"],
    published: &[],
    ..LLAMA
};
