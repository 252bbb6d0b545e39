//! `granite_swa` (`models/granite_swa, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, EmbeddingScale, Family, Masks, Parts, Sinks, Style};

/// `granite_swa`.
pub(crate) const GRANITE_SWA: Family = Family {
    model_types: &["granite_swa"],
    source: "models/granite_swa, transformers 5.23",
    decoder: Some(DecoderType::GraniteSwa),
    // Sizes and options.
    // Names.
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
