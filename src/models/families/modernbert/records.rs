//! The families of this folder.

use super::reader;
use crate::model::{Architecture, Family, Proof};

/// `modernbert`.
pub(crate) const MODERNBERT: Family = Family {
    model_types: &["modernbert"],
    source: "models/modernbert, transformers 5.23",
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    since: crate::model::Since::V448,
    tasks: crate::model::ANSWERING_ENCODER,
    later_tasks: &[(
        crate::ask::Task::QuestionAnswering,
        crate::model::Since::V451,
    )],
    quantized_heads: crate::model::QUANTIZED_CLASSIFIERS,
    check: Some(super::refused::check),
    // Support.
    attention_support: crate::model::AttentionSupport {
        masked: crate::model::Versions::Before5,
        ..crate::model::AttentionSupport::ALL
    },
    quantized_support: crate::model::QuantizedSupport::WHOLE_HEADS,
    fixtures: Proof::of(&["encoder_heads.jsonl", "modernbert.jsonl"]),
    published: Proof::of(&[
        ("modernbert-base", 149_655_232),
        ("modernbert-large", 395_881_664),
        ("gte-modernbert-base", 149_655_232),
    ]),
    ..Family::new(|family, _, fields| Architecture::ModernBert(reader::read(family, false, fields)))
};

/// `modernbert-decoder`.
pub(crate) const MODERNBERT_DECODER: Family = Family {
    model_types: &["modernbert-decoder"],
    source: "models/modernbert_decoder, transformers 5.23",
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    tasks: crate::model::CLASSIFYING_DECODER,
    generation: crate::model::Generation::DECODER,
    // Support.
    attention_support: crate::model::AttentionSupport {
        masked: crate::model::Versions::Before5,
        ..crate::model::AttentionSupport::ALL
    },
    quantized_support: crate::model::QuantizedSupport::WHOLE_HEADS,
    fixtures: Proof::of(&["modernbert_decoder.jsonl"]),
    published: Proof::of(&[
        ("ettin-decoder-150m", 149_655_232),
        ("ettin-decoder-400m", 395_881_664),
        ("ettin-decoder-1b", 1_031_314_112),
    ]),
    ..Family::new(|family, _, fields| Architecture::ModernBert(reader::read(family, true, fields)))
};
