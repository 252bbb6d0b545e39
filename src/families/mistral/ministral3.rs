//! `ministral3` (`models/ministral3, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `ministral3`.
pub(crate) const MINISTRAL3: Family = Family {
    model_types: &["ministral3"],
    source: "models/ministral3, transformers 5.23",
    decoder: Some(DecoderType::Ministral3),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    since: crate::model::Since::V5,
    // Support.
    fixtures: &["newest_decoders.jsonl"],
    published: &[("ministral-3-8b", 8_489_553_920)],
    ..LLAMA
};
