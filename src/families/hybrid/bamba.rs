//! `bamba` (`models/bamba, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `bamba`.
pub(crate) const BAMBA: Family = Family {
    model_types: &["bamba"],
    source: "models/bamba, transformers 5.23",
    decoder: Some(DecoderType::Bamba),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: None,
    fixtures: &["lfm2_bamba.jsonl", "mamba2_before_5.jsonl"],
    published: &[("bamba-9b", 9_780_235_392)],
    ..LLAMA
};
