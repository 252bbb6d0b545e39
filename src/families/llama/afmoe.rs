//! `afmoe` (`models/afmoe, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `afmoe`.
pub(crate) const AFMOE: Family = Family {
    model_types: &["afmoe"],
    source: "models/afmoe, transformers 5.23",
    decoder: Some(DecoderType::Afmoe),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: None,
    adapter_support: crate::model::AdapterSupport::EXPERTS_OF_LAYERS,
    fixtures: &["further_decoders.jsonl"],
    published: &[
        ("trinity-nano", 6_120_003_328),
        ("trinity-mini", 26_123_974_400),
    ],
    ..LLAMA
};
