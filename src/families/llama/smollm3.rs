//! `smollm3` (`models/smollm3, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family, Masks, Style};

/// `smollm3`.
pub(crate) const SMOLLM3: Family = Family {
    model_types: &["smollm3"],
    source: "models/smollm3, transformers 5.23",
    decoder: Some(DecoderType::SmolLm3),
    // Sizes and options.
    // Names.
    // Parts.
    style: Style {
        masks: Masks::Both,
        only_needed_masks: true,
        ..Style::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    // Support.
    fixtures: &["smollm3_exaone4_seed_oss.jsonl"],
    published: &[("smollm3-3b", 3_075_098_624)],
    ..LLAMA
};
