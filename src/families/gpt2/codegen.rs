//! `codegen` (`models/codegen, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `codegen`.
pub(crate) const CODEGEN: Family = Family {
    model_types: &["codegen"],
    source: "models/codegen, transformers 5.23",
    decoder: Some(DecoderType::CodeGen),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    tasks: crate::model::CAUSAL_LM,
    generation: crate::model::Generation {
        logits_to_keep: crate::model::LogitsToKeep::Since(crate::model::Since::V5),
        caches_in_4: [crate::model::CacheIn4::Returned; 2],
        ..crate::model::Generation::DECODER
    },
    // Support.
    fixtures: &["gpt_neo_gptj_codegen.jsonl"],
    published: &[
        ("codegen-350m", 356_712_448),
        ("codegen-2b", 2_779_356_160),
        ("codegen-6b", 7_064_213_504),
        ("codegen-16b", 16_032_155_648),
    ],
    ..LLAMA
};
