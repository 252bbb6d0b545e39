//! `jamba` (`models/jamba, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family, LayerNames, Style};

/// `jamba`.
pub(crate) const JAMBA: Family = Family {
    model_types: &["jamba"],
    source: "models/jamba, transformers 5.23",
    decoder: Some(DecoderType::Jamba),
    // Sizes and options.
    // Names.
    names: LayerNames {
        block: "feed_forward",
        router: "router",
        mixer: "mamba",
        last_norm: "final_layernorm",
        norms: [
            Some("input_layernorm"),
            None,
            Some("pre_ff_layernorm"),
            None,
        ],
        ..LayerNames::LLAMA
    },
    // Parts.
    style: Style {
        looks_for_padding: true,
        ..Style::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    // Support.
    fixtures: &["jamba.jsonl"],
    published: &[("jamba-v0.1", 51_570_323_328)],
    ..LLAMA
};
