//! `gemma2` (`models/gemma2, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `gemma2`.
pub(crate) const GEMMA2: Family = Family {
    model_types: &["gemma2"],
    source: "models/gemma2, transformers 5.23",
    decoder: Some(DecoderType::Gemma2),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    generation: crate::model::Generation {
        caches: crate::model::Since::V451,
        caches_in_4: [crate::model::CacheIn4::Places; 2],
        ..crate::model::Generation::DECODER
    },
    // Support.
    fixtures: &["gemma.jsonl"],
    published: &[("gemma-2-2b", 2_614_341_888)],
    ..LLAMA
};
