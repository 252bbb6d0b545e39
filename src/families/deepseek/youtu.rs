//! `youtu` (`models/youtu, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `youtu`.
pub(crate) const YOUTU: Family = Family {
    model_types: &["youtu"],
    source: "models/youtu, transformers 5.23",
    decoder: Some(DecoderType::Youtu),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    fixtures: &["further_decoders.jsonl"],
    published: &[("youtu-llm-2b", 1_961_560_064)],
    ..LLAMA
};
