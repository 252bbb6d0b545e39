//! `axk1` (`models/axk1, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family, LayerNames};

/// `axk1`.
pub(crate) const AXK1: Family = Family {
    model_types: &["axk1"],
    source: "models/axk1, transformers 5.23",
    decoder: Some(DecoderType::AxK1),
    // Sizes and options.
    // Names.
    names: LayerNames {
        after_experts: Some("post_mlp_layernorm"),
        ..LayerNames::LLAMA
    },
    // Parts.
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    fixtures: &["further_decoders.jsonl"],
    published: &[("ax-k1-519b-a33b", 518_983_052_288)],
    ..LLAMA
};
