//! `granitemoeshared` (`models/granitemoeshared, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `granitemoeshared`.
pub(crate) const GRANITEMOESHARED: Family = Family {
    model_types: &["granitemoeshared"],
    source: "models/granitemoeshared, transformers 5.23",
    decoder: Some(DecoderType::GraniteMoeShared),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    since: crate::model::Since::V451,
    tasks: crate::model::CAUSAL_LM,
    generation: crate::model::Generation {
        caches_in_4: [crate::model::CacheIn4::Returned; 2],
        ..crate::model::Generation::DECODER
    },
    // Support.
    fixtures: &["granitemoe_before_5.jsonl", "mixtures.jsonl", "moe.jsonl"],
    published: &[],
    ..LLAMA
};
