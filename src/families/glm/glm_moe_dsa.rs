//! `glm_moe_dsa` (`models/glm_moe_dsa, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `glm_moe_dsa`.
pub(crate) const GLM_MOE_DSA: Family = Family {
    model_types: &["glm_moe_dsa"],
    source: "models/glm_moe_dsa, transformers 5.23",
    decoder: Some(DecoderType::GlmMoeDsa),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: None,
    attention_support: crate::model::AttentionSupport::CHOSEN_KEYS,
    adapter_support: crate::model::AdapterSupport::EXPERTS_OF_LAYERS,
    quantized_support: crate::model::QuantizedSupport::whole(&["indexer.weights_proj"]),
    fixtures: &["indexed_attention.jsonl"],
    published: &[("glm-5", 743_911_199_232)],
    ..LLAMA
};
