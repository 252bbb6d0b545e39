//! `phimoe` (`models/phimoe, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `phimoe`.
pub(crate) const PHIMOE: Family = Family {
    model_types: &["phimoe"],
    source: "models/phimoe, transformers 5.23",
    decoder: Some(DecoderType::PhiMoe),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: None,
    adapter_support: crate::model::AdapterSupport::LINEAR_ROUTERS,
    fixtures: &["phimoe.jsonl"],
    published: &[("phi-3.5-moe", 41_873_153_344)],
    ..LLAMA
};
