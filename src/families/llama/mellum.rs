//! `mellum` (`models/mellum, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `mellum`.
pub(crate) const MELLUM: Family = Family {
    model_types: &["mellum"],
    source: "models/mellum, transformers 5.23",
    decoder: Some(DecoderType::Mellum),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: None,
    adapter_support: crate::model::AdapterSupport::EXPERTS_OF_LAYERS,
    fixtures: &["further_decoders.jsonl"],
    published: &[],
    ..LLAMA
};
