//! The families of this folder.

use super::reader;
use crate::model::{Architecture, ConfigParts, DualKind, Family, Proof};

/// `clip`.
pub(crate) const CLIP: Family = Family {
    model_types: &["clip"],
    source: "models/clip, transformers 5.23",
    parts: ConfigParts::Pair,
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    tasks: &[
        crate::ask::Task::Contrastive,
        crate::ask::Task::ImageClassification,
    ],
    check: Some(super::reader::check),
    // Support.
    quantized_support: crate::model::QuantizedSupport::whole(&[
        "text_projection",
        "head.attention.out_proj",
    ]),
    fixtures: Proof::of(&["clip_siglip.jsonl"]),
    published: Proof::of(&[
        ("clip-vit-base-patch32", 151_277_313),
        ("clip-vit-base-patch16", 149_620_737),
        ("clip-vit-large-patch14", 427_616_513),
    ]),
    ..Family::new(|family, task, fields| {
        Architecture::Dual(reader::read(family, DualKind::Clip, task, fields))
    })
};

/// `siglip`.
pub(crate) const SIGLIP: Family = Family {
    model_types: &["siglip"],
    source: "models/siglip, transformers 5.23",
    parts: ConfigParts::Pair,
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    tasks: &[
        crate::ask::Task::Contrastive,
        crate::ask::Task::ImageClassification,
    ],
    check: Some(super::reader::check),
    // Support.
    quantized_support: crate::model::QuantizedSupport::whole(&[
        "text_projection",
        "head.attention.out_proj",
    ]),
    fixtures: Proof::of(&["clip_siglip.jsonl"]),
    published: Proof::of(&[
        ("siglip-base-patch16-224", 203_155_970),
        ("siglip-so400m-patch14-384", 877_960_498),
        ("siglip2-base-patch16-224", 375_187_970),
        ("siglip2-so400m-patch14-384", 1_136_008_498),
    ]),
    ..Family::new(|family, task, fields| {
        Architecture::Dual(reader::read(family, DualKind::Siglip, task, fields))
    })
};
