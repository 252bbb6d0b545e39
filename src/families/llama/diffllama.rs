//! `diffllama` (`models/diffllama, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `diffllama`.
pub(crate) const DIFFLLAMA: Family = Family {
    model_types: &["diffllama"],
    source: "models/diffllama, transformers 5.23",
    decoder: Some(DecoderType::DiffLlama),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: None,
    fixtures: &["diffllama.jsonl"],
    published: &[],
    ..LLAMA
};
