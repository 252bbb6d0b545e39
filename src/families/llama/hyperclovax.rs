//! `hyperclovax` (`models/hyperclovax, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, EmbeddingScale, Family, Parts, Style};

/// `hyperclovax`.
pub(crate) const HYPERCLOVAX: Family = Family {
    model_types: &["hyperclovax"],
    source: "models/hyperclovax, transformers 5.23",
    decoder: Some(DecoderType::HyperClovaX),
    // Sizes and options.
    // Names.
    // Parts.
    style: Style {
        embedding_scale: EmbeddingScale::Number,
        scaled_logits: true,
        ..Style::LLAMA
    },
    layers: Parts {
        multiplied: true,
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    fixtures: &["further_decoders.jsonl"],
    published: &[],
    ..LLAMA
};
