//! `nemotron_h` (`models/nemotron_h, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `nemotron_h`.
pub(crate) const NEMOTRON_H: Family = Family {
    model_types: &["nemotron_h"],
    source: "models/nemotron_h, transformers 5.23",
    decoder: Some(DecoderType::NemotronH),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: None,
    adapter_support: crate::model::AdapterSupport::WITHOUT_OUT_PROJ,
    fixtures: &["nemotron_h.jsonl"],
    published: &[
        ("nemotron-h-8b", 8_100_852_736),
        ("nemotron-nano-9b-v2", 8_888_227_328),
        ("nemotron-3-nano-30b-a3b", 31_577_937_344),
    ],
    ..LLAMA
};
