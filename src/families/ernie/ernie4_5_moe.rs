//! `ernie4_5_moe` (`models/ernie4_5_moe, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family, Parts, Style, Turn};

/// `ernie4_5_moe`.
pub(crate) const ERNIE4_5_MOE: Family = Family {
    model_types: &["ernie4_5_moe"],
    source: "models/ernie4_5_moe, transformers 5.23",
    decoder: Some(DecoderType::Ernie45Moe),
    // Sizes and options.
    // Names.
    // Parts.
    style: Style {
        wide_rotary: true,
        ..Style::LLAMA
    },
    layers: Parts {
        turn: Turn::WideNeighbours,
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    fixtures: &["hunyuan_ernie_moe.jsonl"],
    published: &[("ernie-4.5-21b-a3b", 21_825_437_888)],
    ..LLAMA
};
