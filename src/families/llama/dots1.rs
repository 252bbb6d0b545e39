//! `dots1` (`models/dots1, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `dots1`.
pub(crate) const DOTS1: Family = Family {
    model_types: &["dots1"],
    source: "models/dots1, transformers 5.23",
    decoder: Some(DecoderType::Dots1),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: None,
    adapter_support: crate::model::AdapterSupport::EXPERTS_OF_LAYERS,
    fixtures: &["mixtures.jsonl"],
    published: &[],
    ..LLAMA
};
