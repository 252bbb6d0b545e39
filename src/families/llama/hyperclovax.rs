//! `hyperclovax` (`models/hyperclovax, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `hyperclovax`.
pub(crate) const HYPERCLOVAX: Family = Family {
    model_types: &["hyperclovax"],
    source: "models/hyperclovax, transformers 5.23",
    decoder: Some(DecoderType::HyperClovaX),
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
