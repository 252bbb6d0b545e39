//! `mpt` (`models/mpt, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `mpt`.
pub(crate) const MPT: Family = Family {
    model_types: &["mpt"],
    source: "models/mpt, transformers 5.23",
    decoder: Some(DecoderType::Mpt),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    generation: crate::model::Generation {
        logits_to_keep: crate::model::LogitsToKeep::Since(crate::model::Since::V5),
        caches_in_4: [crate::model::CacheIn4::Tuples; 2],
        special_tokens: 0,
        positions: false,
        ..crate::model::Generation::DECODER
    },
    // Support.
    fixtures: &["mpt.jsonl"],
    published: &[("mpt-7b", 6_649_286_656), ("mpt-30b", 29_957_200_896)],
    ..LLAMA
};
