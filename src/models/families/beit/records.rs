//! The families of this folder.

use super::reader;
use crate::model::{Architecture, Family, Proof};

/// `beit`.
pub(crate) const BEIT: Family = Family {
    model_types: &["beit"],
    source: "models/beit, transformers 5.23",
    // Sizes and options.
    // Names.
    base_model: "beit",
    // Parts.
    // Programs.
    tasks: &[crate::ask::Task::ImageClassification],
    check: Some(super::reader::check),
    // Support.
    attention_support: crate::model::AttentionSupport::UNMASKED,
    fixtures: Proof::of(&["beit.jsonl"]),
    published: Proof::of(&[
        ("beit-base-patch16-224", 86_530_984),
        ("beit-large-patch16-224", 304_430_568),
    ]),
    ..Family::new(|family, _, fields| Architecture::Beit(reader::read(family, false, fields)))
};

/// `data2vec-vision`.
pub(crate) const DATA2VEC_VISION: Family = Family {
    model_types: &["data2vec-vision"],
    source: "models/data2vec_vision, transformers 5.23",
    // Sizes and options.
    // Names.
    base_model: "data2vec_vision",
    // Parts.
    // Programs.
    tasks: &[crate::ask::Task::ImageClassification],
    check: Some(super::reader::check),
    // Support.
    attention_support: crate::model::AttentionSupport::UNMASKED,
    fixtures: Proof::of(&["data2vec_vision.jsonl"]),
    published: Proof::of(&[
        ("data2vec-vision-base-ft1k", 86_530_984),
        ("data2vec-vision-large-ft1k", 304_430_568),
    ]),
    ..Family::new(|family, _, fields| Architecture::Beit(reader::read(family, true, fields)))
};
