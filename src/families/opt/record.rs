//! `opt` (`models/opt, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `opt`.
pub(crate) const OPT: Family = Family {
    model_types: &["opt"],
    source: "models/opt, transformers 5.23",
    decoder: Some(DecoderType::Opt),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    generation: crate::model::Generation {
        logits_to_keep: crate::model::LogitsToKeep::Since(crate::model::Since::V5),
        caches_in_4: [
            crate::model::CacheIn4::Tuples,
            crate::model::CacheIn4::Returned,
        ],
        ..crate::model::Generation::DECODER
    },
    // Support.
    fixtures: &["opt.jsonl"],
    published: &[("opt-125m", 125_239_296), ("opt-1.3b", 1_315_758_080)],
    ..LLAMA
};
