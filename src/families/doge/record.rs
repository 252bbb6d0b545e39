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
    // Support.
    liger: None,
    attention_support: crate::model::AttentionSupport {
        flash_refused: Some(crate::model::FlashRefusal::ChosenKeys),
        check: Some(super::reader::check),
        ..crate::model::AttentionSupport::ALL
    },
    fixtures: &["doge.jsonl"],
    published: &[],
    ..LLAMA
};
