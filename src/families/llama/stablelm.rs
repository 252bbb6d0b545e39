//! `stablelm` (`models/stablelm, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `stablelm`.
pub(crate) const STABLELM: Family = Family {
    model_types: &["stablelm"],
    source: "models/stablelm, transformers 5.23",
    decoder: Some(DecoderType::StableLm),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: None,
    fixtures: &["cohere_stablelm.jsonl"],
    published: &[
        ("stablelm-3b", 2_795_443_200),
        ("stablelm-2-1.6b", 1_644_515_328),
    ],
    ..LLAMA
};
