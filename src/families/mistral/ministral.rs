//! `ministral` (`models/ministral, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family, Masks, Style};

/// `ministral`.
pub(crate) const MINISTRAL: Family = Family {
    model_types: &["ministral"],
    source: "models/ministral, transformers 5.23",
    decoder: Some(DecoderType::Ministral),
    // Sizes and options.
    // Names.
    // Parts.
    style: Style {
        masks: Masks::Both,
        ..Style::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    // Support.
    fixtures: &["smollm3_exaone4_seed_oss.jsonl"],
    published: &[],
    ..LLAMA
};
