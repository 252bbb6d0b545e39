//! `lfm2_moe` (`models/lfm2_moe, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `lfm2_moe`.
pub(crate) const LFM2_MOE: Family = Family {
    model_types: &["lfm2_moe"],
    source: "models/lfm2_moe, transformers 5.23",
    decoder: Some(DecoderType::Lfm2Moe),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: None,
    fixtures: &["further_decoders.jsonl", "lfm2_bamba.jsonl"],
    published: &[("lfm2-8b-a1b", 8_339_929_856)],
    ..LLAMA
};
