//! `minimax` (`models/minimax, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `minimax`.
pub(crate) const MINIMAX: Family = Family {
    model_types: &["minimax"],
    source: "models/minimax, transformers 5.23",
    decoder: Some(DecoderType::MiniMax),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: None,
    training_cache: crate::model::CacheSupport {
        counts: true,
        ..crate::model::CacheSupport::USUAL
    },
    adapter_support: crate::model::AdapterSupport::EXPERTS_OF_MIXTRAL,
    fixtures: &["minimax.jsonl"],
    published: &[("minimax-text-01", 456_089_655_296)],
    ..LLAMA
};
