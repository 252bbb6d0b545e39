//! `gptj` (`models/gptj, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `gptj`.
pub(crate) const GPTJ: Family = Family {
    model_types: &["gptj"],
    source: "models/gptj, transformers 5.23",
    decoder: Some(DecoderType::GptJ),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    generation: crate::model::Generation {
        logits_to_keep: crate::model::LogitsToKeep::Since(crate::model::Since::V5),
        caches_in_4: [crate::model::CacheIn4::Returned; 2],
        ..crate::model::Generation::DECODER
    },
    // Support.
    fixtures: &["gpt_neo_gptj_codegen.jsonl"],
    published: &[("gpt-j-6b", 6_050_882_784)],
    ..LLAMA
};
