//! `iquestcoder` (`models/iquestcoder, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `iquestcoder`.
pub(crate) const IQUESTCODER: Family = Family {
    model_types: &["iquestcoder"],
    source: "models/iquestcoder, transformers 5.23",
    decoder: Some(DecoderType::IQuestCoder),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    fixtures: &["further_decoders.jsonl"],
    published: &[("iquest-coder-40b", 39_794_283_520)],
    ..LLAMA
};
