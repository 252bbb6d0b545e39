//! `gemma3n_text` (`models/gemma3n, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `gemma3n_text`.
pub(crate) const GEMMA3N_TEXT: Family = Family {
    model_types: &["gemma3n_text"],
    source: "models/gemma3n, transformers 5.23",
    decoder: Some(DecoderType::Gemma3n),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: None,
    adapter_support: crate::model::AdapterSupport::SCALED_TABLE,
    fixtures: &["gemma3n.jsonl"],
    published: &[
        ("gemma-3n-e2b", 4_435_182_688),
        ("gemma-3n-e4b", 6_835_235_568),
    ],
    ..LLAMA
};
