//! `lfm2` (`models/lfm2, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `lfm2`.
pub(crate) const LFM2: Family = Family {
    model_types: &["lfm2"],
    source: "models/lfm2, transformers 5.23",
    decoder: Some(DecoderType::Lfm2),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: None,
    fixtures: &["lfm2_bamba.jsonl"],
    published: &[
        ("lfm2-350m", 354_483_968),
        ("lfm2-700m", 742_489_344),
        ("lfm2-1.2b", 1_170_340_608),
    ],
    ..LLAMA
};
