//! `minimax_m2` (`models/minimax_m2, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `minimax_m2`.
pub(crate) const MINIMAX_M2: Family = Family {
    model_types: &["minimax_m2"],
    source: "models/minimax_m2, transformers 5.23",
    decoder: Some(DecoderType::MiniMaxM2),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: None,
    adapter_support: crate::model::AdapterSupport::EXPERTS_OF_MIXTRAL,
    fixtures: &["newest_decoders.jsonl"],
    published: &[("minimax-m2", 228_689_748_992)],
    ..LLAMA
};
