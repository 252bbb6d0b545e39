//! `olmo2` (`models/olmo2, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `olmo2`.
pub(crate) const OLMO2: Family = Family {
    model_types: &["olmo2"],
    source: "models/olmo2, transformers 5.23",
    decoder: Some(DecoderType::Olmo2),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    later_tasks: &[(
        crate::ask::Task::SequenceClassification,
        crate::model::Since::V5,
    )],
    generation: crate::model::Generation {
        special_tokens: 0,
        ..crate::model::Generation::DECODER
    },
    // Support.
    fixtures: &["olmo2.jsonl"],
    published: &[("olmo-2-1b", 1_484_916_736)],
    ..LLAMA
};
