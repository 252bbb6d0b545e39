//! The families of this folder.

use super::reader;
use crate::model::{Architecture, Family, Proof};

/// `distilbert`.
pub(crate) const DISTILBERT: Family = Family {
    model_types: &["distilbert"],
    source: "models/distilbert, transformers 5.23",
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    since: crate::model::Since::V448,
    tasks: crate::model::ANSWERING_ENCODER,
    quantized_heads: crate::model::QUANTIZED_INNER_HEADS,
    // Support.
    attention_support: crate::model::AttentionSupport::FLASH_SINCE_5,
    quantized_support: crate::model::QuantizedSupport::WHOLE_HEADS,
    fixtures: Proof::of(&["distilbert.jsonl", "encoder_heads.jsonl"]),
    published: Proof::of(&[
        ("distilbert-base", 66_985_530),
        ("distilbert-base-cased", 65_812_036),
        ("distilbert-base-multilingual", 135_445_755),
    ]),
    ..Family::new(|family, _, fields| Architecture::DistilBert(reader::read(family, fields)))
};
