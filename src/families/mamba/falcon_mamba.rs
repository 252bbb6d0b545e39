//! `falcon_mamba` (`models/falcon_mamba, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `falcon_mamba`.
pub(crate) const FALCON_MAMBA: Family = Family {
    model_types: &["falcon_mamba"],
    source: "models/falcon_mamba, transformers 5.23",
    decoder: Some(DecoderType::FalconMamba),
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
    fixtures: &["mamba2.jsonl"],
    published: &[("falcon-mamba-7b", 7_272_665_088)],
    ..LLAMA
};
