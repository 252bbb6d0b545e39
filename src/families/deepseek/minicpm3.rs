//! `minicpm3` (`models/minicpm3, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `minicpm3`.
pub(crate) const MINICPM3: Family = Family {
    model_types: &["minicpm3"],
    source: "models/minicpm3, transformers 5.23",
    decoder: Some(DecoderType::MiniCpm3),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: None,
    plain_logits: false,
    adapter_support: crate::model::AdapterSupport::SCALED_TABLE,
    fixtures: &["further_decoders.jsonl"],
    published: &[("minicpm3-4b", 4_073_875_968)],
    ..LLAMA
};
