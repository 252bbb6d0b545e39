//! `doge` (`models/doge, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `doge`.
pub(crate) const DOGE: Family = Family {
    model_types: &["doge"],
    source: "models/doge, transformers 5.23",
    decoder: Some(DecoderType::Doge),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    since: crate::model::Since::V5,
    // Support.
    fixtures: &["doge.jsonl"],
    published: &[],
    ..LLAMA
};
