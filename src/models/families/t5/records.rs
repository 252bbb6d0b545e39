//! The families of this folder.

use super::reader;
use crate::model::{Architecture, Family, Proof, T5Kind};

/// How they generate.
const GENERATION: crate::model::Generation = crate::model::Generation {
    logits_to_keep: crate::model::LogitsToKeep::Since(crate::model::Since::Never),
    caches_in_4: [crate::model::CacheIn4::Returned; 2],
    positions: false,
    ..crate::model::Generation::DECODER
};

/// `t5`.
pub(crate) const T5: Family = Family {
    model_types: &["t5"],
    source: "models/t5, transformers 5.23",
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    since: crate::model::Since::V448,
    tasks: &[crate::ask::Task::Seq2SeqLm],
    generation: GENERATION,
    check: Some(super::refused::check),
    // Support.
    attention_support: crate::model::AttentionSupport {
        without_flash: crate::model::Versions::All,
        masked: crate::model::Versions::All,
        ..crate::model::AttentionSupport::ALL
    },
    quantized_support: crate::model::QuantizedSupport::whole(&[".wo"]),
    fixtures: Proof::of(&["t5.jsonl"]),
    published: Proof::of(&[
        ("t5-small", 60_506_624),
        ("t5-base", 222_903_552),
        ("t5-large", 737_668_096),
        ("flan-t5-small", 60_511_616),
        ("flan-t5-base", 222_903_552),
        ("flan-t5-large", 750_251_008),
        ("flan-t5-xl", 2_783_959_040),
    ]),
    ..Family::new(|family, _, fields| Architecture::T5(reader::read(family, T5Kind::T5, fields)))
};

/// `mt5`.
pub(crate) const MT5: Family = Family {
    model_types: &["mt5"],
    source: "models/mt5, transformers 5.23",
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    since: crate::model::Since::V448,
    tasks: &[crate::ask::Task::Seq2SeqLm],
    generation: GENERATION,
    check: Some(super::refused::check),
    // Support.
    attention_support: crate::model::AttentionSupport {
        without_flash: crate::model::Versions::All,
        masked: crate::model::Versions::All,
        ..crate::model::AttentionSupport::ALL
    },
    quantized_support: crate::model::QuantizedSupport::whole(&[".wo"]),
    fixtures: Proof::of(&["t5.jsonl"]),
    published: Proof::of(&[("mt5-small", 172_119_424)]),
    ..Family::new(|family, _, fields| Architecture::T5(reader::read(family, T5Kind::Mt5, fields)))
};

/// `umt5`.
pub(crate) const UMT5: Family = Family {
    model_types: &["umt5"],
    source: "models/umt5, transformers 5.23",
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    tasks: &[crate::ask::Task::Seq2SeqLm],
    generation: GENERATION,
    check: Some(super::refused::check),
    // Support.
    attention_support: crate::model::AttentionSupport {
        without_flash: crate::model::Versions::All,
        masked: crate::model::Versions::All,
        ..crate::model::AttentionSupport::ALL
    },
    quantized_support: crate::model::QuantizedSupport::whole(&[".wo"]),
    fixtures: Proof::of(&["t5.jsonl"]),
    published: Proof::of(&[("umt5-small", 175_333_376), ("umt5-base", 395_140_608)]),
    ..Family::new(|family, _, fields| Architecture::T5(reader::read(family, T5Kind::Umt5, fields)))
};
