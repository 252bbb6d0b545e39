//! `mamba2` (`models/mamba2, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `mamba2`.
pub(crate) const MAMBA2: Family = Family {
    model_types: &["mamba2"],
    source: "models/mamba2, transformers 5.23",
    decoder: Some(DecoderType::Mamba2),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    tasks: crate::model::CAUSAL_LM,
    generation: crate::model::Generation {
        caches: crate::model::Since::V5,
        positions: false,
        ..crate::model::Generation::DECODER
    },
    // Support.
    fixtures: &["mamba2.jsonl", "mamba2_before_5.jsonl"],
    published: &[("mamba-codestral-7b", 7_285_403_648)],
    ..LLAMA
};
