//! `flex_olmo` (`models/flex_olmo, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `flex_olmo`.
pub(crate) const FLEX_OLMO: Family = Family {
    model_types: &["flex_olmo"],
    source: "models/flex_olmo, transformers 5.23",
    decoder: Some(DecoderType::FlexOlmo),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: None,
    adapter_support: crate::model::AdapterSupport::EXPERTS_OF_LAYERS,
    fixtures: &["newest_decoders.jsonl"],
    published: &[("flex-olmo-7x7b", 33_270_665_216)],
    ..LLAMA
};
