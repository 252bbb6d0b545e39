//! `olmoe` (`models/olmoe, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `olmoe`.
pub(crate) const OLMOE: Family = Family {
    model_types: &["olmoe"],
    source: "models/olmoe, transformers 5.23",
    decoder: Some(DecoderType::Olmoe),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: None,
    adapter_support: crate::model::AdapterSupport::EXPERTS_OF_LAYERS,
    fixtures: &["moe.jsonl"],
    published: &[("olmoe-1b-7b", 6_919_161_856)],
    ..LLAMA
};
