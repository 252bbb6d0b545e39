//! `olmoe` (`models/olmoe, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `olmoe`.
pub(crate) const OLMOE: Family = Family {
    model_types: &["olmoe"],
    source: "models/olmoe, transformers 5.23",
    decoder: Some(DecoderType::Olmoe),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    tasks: crate::model::CAUSAL_LM,
    generation: crate::model::Generation {
        caches_in_4: [crate::model::CacheIn4::Returned; 2],
        special_tokens: 0,
        ..crate::model::Generation::DECODER
    },
    // Support.
    fixtures: &["moe.jsonl"],
    published: &[("olmoe-1b-7b", 6_919_161_856)],
    ..LLAMA
};
