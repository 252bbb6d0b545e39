//! `mamba` (`models/mamba, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `mamba`.
pub(crate) const MAMBA: Family = Family {
    model_types: &["mamba"],
    source: "models/mamba, transformers 5.23",
    decoder: Some(DecoderType::Mamba),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    tasks: crate::model::CAUSAL_LM,
    generation: crate::model::Generation {
        caches: crate::model::Since::V5,
        logits_to_keep: crate::model::LogitsToKeep::Since(crate::model::Since::V5),
        positions: false,
        ..crate::model::Generation::DECODER
    },
    // Support.
    fixtures: &["mamba.jsonl"],
    published: &[
        ("mamba-130m", 129_135_360),
        ("mamba-370m", 371_516_416),
        ("mamba-790m", 793_204_224),
        ("mamba-1.4b", 1_372_178_432),
        ("mamba-2.8b", 2_768_345_600),
    ],
    ..LLAMA
};
