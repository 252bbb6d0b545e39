//! `gpt2` (`models/gpt2, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `gpt2`.
pub(crate) const GPT2: Family = Family {
    model_types: &["gpt2", "gpt-sw3"],
    source: "models/gpt2, transformers 5.23",
    decoder: Some(DecoderType::Gpt2),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    generation: crate::model::Generation {
        logits_to_keep: crate::model::LogitsToKeep::Since(crate::model::Since::V5),
        caches_in_4: [crate::model::CacheIn4::Tuples; 2],
        ..crate::model::Generation::DECODER
    },
    // Support.
    fixtures: &["gpt2.jsonl"],
    published: &[
        ("gpt2", 124_439_808),
        ("gpt2-medium", 354_823_168),
        ("gpt2-large", 774_030_080),
        ("gpt2-xl", 1_557_611_200),
        ("distilgpt2", 81_912_576),
    ],
    ..LLAMA
};
