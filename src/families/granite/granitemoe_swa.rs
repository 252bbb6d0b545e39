//! `granitemoe_swa` (`models/granitemoe_swa, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{
    DecoderType, EmbeddingScale, Family, LayerNames, Masks, Parts, SPARSE, Sinks, Style,
};

/// `granitemoe_swa`.
pub(crate) const GRANITEMOE_SWA: Family = Family {
    model_types: &["granitemoe_swa"],
    source: "models/granitemoe_swa, transformers 5.23",
    decoder: Some(DecoderType::GraniteMoeSwa),
    // Sizes and options.
    // Names.
    names: LayerNames {
        block: SPARSE,
        router: "router",
        ..LayerNames::LLAMA
    },
    // Parts.
    style: Style {
        embedding_scale: EmbeddingScale::Number,
        scaled_logits: true,
        masks: Masks::Both,
        ..Style::LLAMA
    },
    layers: Parts {
        multiplied: true,
        sinks: Some(Sinks::Scale),
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    fixtures: &["granite_swa.jsonl"],
    published: &[],
    ..LLAMA
};
