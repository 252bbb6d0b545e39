//! `gemma3_text` (`models/gemma3, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `gemma3_text`.
pub(crate) const GEMMA3_TEXT: Family = Family {
    model_types: &["gemma3_text"],
    source: "models/gemma3, transformers 5.23",
    decoder: Some(DecoderType::Gemma3),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    since: crate::model::Since::V451,
    later_tasks: &[(
        crate::ask::Task::SequenceClassification,
        crate::model::Since::V5,
    )],
    generation: crate::model::Generation {
        caches_in_4: [crate::model::CacheIn4::Places; 2],
        ..crate::model::Generation::DECODER
    },
    // Support.
    fixtures: &["gemma.jsonl"],
    published: &[("gemma-3-1b", 999_885_952)],
    ..LLAMA
};
