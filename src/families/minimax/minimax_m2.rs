//! `minimax_m2` (`models/minimax_m2, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family, HeadNorm, NormKind, Parts, Turn};

/// `minimax_m2`.
pub(crate) const MINIMAX_M2: Family = Family {
    model_types: &["minimax_m2"],
    source: "models/minimax_m2, transformers 5.23",
    decoder: Some(DecoderType::MiniMaxM2),
    // Sizes and options.
    // Names.
    // Parts.
    layers: Parts {
        head_norm: HeadNorm::Whole(NormKind::Root),
        turn: Turn::FirstColumns,
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    fixtures: &["newest_decoders.jsonl"],
    published: &[("minimax-m2", 228_689_748_992)],
    ..LLAMA
};
