//! The families of this folder.

use super::reader;
use crate::model::{Architecture, Family, Proof};

/// `swin`.
pub(crate) const SWIN: Family = Family {
    model_types: &["swin"],
    source: "models/swin, transformers 5.23",
    // Sizes and options.
    // Names.
    base_model: "swin",
    // Parts.
    // Programs.
    tasks: &[crate::ask::Task::ImageClassification],
    check: Some(super::reader::check),
    // Support.
    attention_support: crate::model::AttentionSupport {
        masked: crate::model::Versions::All,
        ..crate::model::AttentionSupport::ALL
    },
    fixtures: Proof::of(&["swin.jsonl"]),
    published: Proof::of(&[
        ("swin-tiny", 28_288_354),
        ("swin-base", 87_768_224),
        ("swin-large", 196_532_476),
    ]),
    ..Family::new(|family, _, fields| Architecture::Swin(reader::read(family, false, fields)))
};

/// `swinv2`.
pub(crate) const SWINV2: Family = Family {
    model_types: &["swinv2"],
    source: "models/swinv2, transformers 5.23",
    // Sizes and options.
    // Names.
    base_model: "swinv2",
    // Parts.
    // Programs.
    tasks: &[crate::ask::Task::ImageClassification],
    check: Some(super::reader::check),
    // Support.
    attention_support: crate::model::AttentionSupport {
        masked: crate::model::Versions::All,
        ..crate::model::AttentionSupport::EAGER
    },
    fixtures: Proof::of(&["swinv2.jsonl"]),
    published: Proof::of(&[
        ("swinv2-tiny", 28_347_154),
        ("swinv2-base", 87_918_816),
        ("swinv2-large", 196_739_932),
    ]),
    ..Family::new(|family, _, fields| Architecture::Swin(reader::read(family, true, fields)))
};
