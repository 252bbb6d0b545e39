//! `mistral4` (`models/mistral4, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `mistral4`.
pub(crate) const MISTRAL4: Family = Family {
    model_types: &["mistral4"],
    source: "models/mistral4, transformers 5.23",
    decoder: Some(DecoderType::Mistral4),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    since: crate::model::Since::V5,
    // Support.
    fixtures: &["further_decoders.jsonl"],
    published: &[("mistral-small-4-119b", 118_972_826_624)],
    ..LLAMA
};
