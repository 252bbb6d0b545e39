//! `bamba` (`models/bamba, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `bamba`.
pub(crate) const BAMBA: Family = Family {
    model_types: &["bamba"],
    source: "models/bamba, transformers 5.23",
    decoder: Some(DecoderType::Bamba),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    since: crate::model::Since::V451,
    tasks: crate::model::CAUSAL_LM,
    generation: crate::model::Generation {
        caches: crate::model::Since::V5,
        ..crate::model::Generation::DECODER
    },
    // Support.
    fixtures: &["lfm2_bamba.jsonl", "mamba2_before_5.jsonl"],
    published: &[("bamba-9b", 9_780_235_392)],
    ..LLAMA
};
