//! `cwm` (`models/cwm, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `cwm`.
pub(crate) const CWM: Family = Family {
    model_types: &["cwm"],
    source: "models/cwm, transformers 5.23",
    decoder: Some(DecoderType::Cwm),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: None,
    fixtures: &["newest_decoders.jsonl"],
    published: &[("cwm-32b", 32_581_097_472)],
    ..LLAMA
};
