//! `glm4_moe` (`models/glm4_moe, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family, HeadNorm, NormKind, Parts, Turn};

/// `glm4_moe`.
pub(crate) const GLM4_MOE: Family = Family {
    model_types: &["glm4_moe"],
    source: "models/glm4_moe, transformers 5.23",
    decoder: Some(DecoderType::Glm4Moe),
    // Sizes and options.
    // Names.
    // Parts.
    layers: Parts {
        turn: Turn::FirstColumns,
        ..Parts::LLAMA
    },
    put_together: |c, _, _, parts| {
        parts.head_norm = HeadNorm::Together(NormKind::Root).when(c.head_norms);
    },
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    generation: crate::model::Generation {
        special_tokens: 0,
        ..crate::model::Generation::DECODER
    },
    // Support.
    fixtures: &["mixtures.jsonl"],
    published: &[("glm-4.5-air", 106_852_245_504)],
    ..LLAMA
};
