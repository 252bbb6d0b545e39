//! `glm_moe_dsa` (`models/glm_moe_dsa, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family, Masks, Parts, Style};

/// `glm_moe_dsa`.
pub(crate) const GLM_MOE_DSA: Family = Family {
    model_types: &["glm_moe_dsa"],
    source: "models/glm_moe_dsa, transformers 5.23",
    decoder: Some(DecoderType::GlmMoeDsa),
    // Sizes and options.
    // Names.
    // Parts.
    style: Style {
        masks: Masks::Always,
        ..Style::LLAMA
    },
    layers: Parts {
        gives_weights: true,
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    fixtures: &["indexed_attention.jsonl"],
    published: &[("glm-5", 743_911_199_232)],
    ..LLAMA
};
