//! `ernie4_5` (`models/ernie4_5, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family, Parts, Style, Turn};

/// `ernie4_5`.
pub(crate) const ERNIE4_5: Family = Family {
    model_types: &["ernie4_5"],
    source: "models/ernie4_5, transformers 5.23",
    decoder: Some(DecoderType::Ernie45),
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
    fixtures: &["smollm3_exaone4_seed_oss.jsonl"],
    published: &[("ernie-4.5-0.3b", 360_748_032)],
    ..LLAMA
};
