//! The families of this folder.

use super::reader;
use crate::model::{Architecture, Family, Proof};

/// `t5gemma`.
pub(crate) const T5GEMMA: Family = Family {
    model_types: &["t5gemma"],
    source: "models/t5gemma, transformers 5.23",
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    tasks: &[crate::ask::Task::Seq2SeqLm],
    generation: crate::model::Generation {
        special_tokens: 2,
        positions: false,
        flash: true,
        keeps_by_default: true,
        ..crate::model::Generation::DECODER
    },
    // Support.
    attention_support: crate::model::AttentionSupport::EAGER,
    training_cache: crate::model::CacheSupport::EVALUATED,
    fixtures: Proof::of(&["t5gemma.jsonl"]),
    published: Proof::of(&[
        ("t5gemma-2b-2b", 5_596_853_760),
        ("t5gemma-9b-2b", 12_292_375_296),
        ("t5gemma-9b-9b", 20_333_401_088),
    ]),
    ..Family::new(|family, _, fields| Architecture::T5Gemma(reader::read(family, fields)))
};
