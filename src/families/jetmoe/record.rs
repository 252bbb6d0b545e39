//! `jetmoe` (`models/jetmoe, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{AttentionKind, DecoderType, Family, LayerNames, Parts, Piece};

/// `jetmoe`.
pub(crate) const JETMOE: Family = Family {
    model_types: &["jetmoe"],
    source: "models/jetmoe, transformers 5.23",
    decoder: Some(DecoderType::JetMoe),
    // Sizes and options.
    // Names.
    names: LayerNames {
        router: "router",
        mixer: "self_attention",
        attention: "self_attention",
        order: [Piece::Mlp, Piece::Norms, Piece::Mixer, Piece::Beside],
        ..LayerNames::LLAMA
    },
    // Parts.
    layers: Parts {
        attention: AttentionKind::Experts,
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    // Support.
    fixtures: &["jetmoe.jsonl"],
    published: &[],
    ..LLAMA
};
