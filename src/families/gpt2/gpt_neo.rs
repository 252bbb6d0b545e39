//! `gpt_neo` (`models/gpt_neo, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `gpt_neo`.
pub(crate) const GPT_NEO: Family = Family {
    model_types: &["gpt_neo"],
    source: "models/gpt_neo, transformers 5.23",
    decoder: Some(DecoderType::GptNeo),
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
    published: &[
        ("gpt-neo-125m", 125_198_592),
        ("gpt-neo-1.3b", 1_315_575_808),
        ("gpt-neo-2.7b", 2_651_307_520),
    ],
    ..LLAMA
};
