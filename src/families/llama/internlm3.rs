//! `internlm3` (`models/internlm3, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `internlm3`.
pub(crate) const INTERNLM3: Family = Family {
    model_types: &["internlm3"],
    source: "models/internlm3, transformers 5.23",
    decoder: Some(DecoderType::InternLm3),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    fixtures: &["further_decoders.jsonl"],
    published: &[("internlm3-8b", 8_804_241_408)],
    ..LLAMA
};
