//! The families of this folder.

use super::reader;
use crate::model::{Architecture, ConvNetKind, Family, Proof};

/// `convnext`.
pub(crate) const CONVNEXT: Family = Family {
    model_types: &["convnext"],
    source: "models/convnext, transformers 5.23",
    // Sizes and options.
    // Names.
    base_model: "convnext",
    // Parts.
    // Programs.
    tasks: &[crate::ask::Task::ImageClassification],
    check: Some(super::reader::check),
    // Support.
    attention_support: crate::model::AttentionSupport::NOTHING,
    fixtures: Proof::of(&["conv_nets.jsonl"]),
    published: Proof::of(&[
        ("convnext-tiny-224", 28_589_128),
        ("convnext-small-224", 50_223_688),
        ("convnext-base-224", 88_591_464),
        ("convnext-large-224", 197_767_336),
    ]),
    ..Family::new(|family, _, fields| {
        Architecture::ConvNet(reader::read(family, ConvNetKind::ConvNext, fields))
    })
};

/// `convnextv2`.
pub(crate) const CONVNEXTV2: Family = Family {
    model_types: &["convnextv2"],
    source: "models/convnextv2, transformers 5.23",
    // Sizes and options.
    // Names.
    base_model: "convnextv2",
    // Parts.
    // Programs.
    tasks: &[crate::ask::Task::ImageClassification],
    check: Some(super::reader::check),
    // Support.
    attention_support: crate::model::AttentionSupport::NOTHING,
    fixtures: Proof::of(&["conv_nets.jsonl"]),
    published: Proof::of(&[
        ("convnextv2-tiny-1k-224", 28_635_496),
        ("convnextv2-base-1k-224", 88_717_800),
    ]),
    ..Family::new(|family, _, fields| {
        Architecture::ConvNet(reader::read(family, ConvNetKind::ConvNextV2, fields))
    })
};

/// `resnet`.
pub(crate) const RESNET: Family = Family {
    model_types: &["resnet"],
    source: "models/resnet, transformers 5.23",
    // Sizes and options.
    // Names.
    base_model: "resnet",
    // Parts.
    // Programs.
    tasks: &[crate::ask::Task::ImageClassification],
    check: Some(super::reader::check),
    // Support.
    attention_support: crate::model::AttentionSupport::NOTHING,
    fixtures: Proof::of(&["conv_nets.jsonl"]),
    published: Proof::of(&[
        ("resnet-18", 11_689_512),
        ("resnet-34", 21_797_672),
        ("resnet-50", 25_557_032),
        ("resnet-101", 44_549_160),
        ("resnet-152", 60_192_808),
    ]),
    ..Family::new(|family, _, fields| {
        Architecture::ConvNet(reader::read(family, ConvNetKind::ResNet, fields))
    })
};
