//! `falcon_h1` (`models/falcon_h1, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `falcon_h1`.
pub(crate) const FALCON_H1: Family = Family {
    model_types: &["falcon_h1"],
    source: "models/falcon_h1, transformers 5.23",
    decoder: Some(DecoderType::FalconH1),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: None,
    plain_logits: false,
    adapter_support: crate::model::AdapterSupport::WITHOUT_OUT_PROJ,
    fixtures: &["falcon_h1.jsonl"],
    published: &[("falcon-h1-0.5b", 521_411_104)],
    ..LLAMA
};
