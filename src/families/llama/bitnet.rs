//! `bitnet` (`models/bitnet, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `bitnet`.
pub(crate) const BITNET: Family = Family {
    model_types: &["bitnet"],
    source: "models/bitnet, transformers 5.23",
    decoder: Some(DecoderType::BitNet),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: None,
    fixtures: &["further_decoders.jsonl"],
    published: &[("bitnet-b1.58-2b", 2_412_820_480)],
    ..LLAMA
};
