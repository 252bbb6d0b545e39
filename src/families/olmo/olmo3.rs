//! `olmo3` (`models/olmo3, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `olmo3`.
pub(crate) const OLMO3: Family = Family {
    model_types: &["olmo3"],
    source: "models/olmo3, transformers 5.23",
    decoder: Some(DecoderType::Olmo3),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    since: crate::model::Since::V5,
    generation: crate::model::Generation {
        special_tokens: 0,
        ..crate::model::Generation::DECODER
    },
    // Support.
    fixtures: &["olmo_glm_helium.jsonl"],
    published: &[("olmo-3-7b", 7_298_011_136)],
    ..LLAMA
};
