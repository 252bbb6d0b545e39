//! `glm4_moe_lite` (`models/glm4_moe_lite, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `glm4_moe_lite`.
pub(crate) const GLM4_MOE_LITE: Family = Family {
    model_types: &["glm4_moe_lite"],
    source: "models/glm4_moe_lite, transformers 5.23",
    decoder: Some(DecoderType::Glm4MoeLite),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    fixtures: &["newest_decoders.jsonl"],
    published: &[("glm-4.7-flash", 29_943_390_976)],
    ..LLAMA
};
