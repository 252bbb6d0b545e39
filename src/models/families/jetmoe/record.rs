//! `jetmoe` (`models/jetmoe, transformers 5.23`).

use super::reader;
use crate::families::llama::LLAMA;
use crate::model::{
    AttentionKind, Biases, ExpertRule, Family, LayerNames, Options, Parts, Piece, Proof, Reader,
    Routing, Sizes,
};

/// `jetmoe`.
pub(crate) const JETMOE: Family = Family {
    model_types: &["jetmoe"],
    source: "models/jetmoe, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(reader::read),
    sizes: Sizes {
        hidden: 2048,
        inner: 5632,
        layers: 12,
        heads: 16,
        kv_heads: Some(16),
        ..LLAMA.sizes
    },
    options: Options {
        tied: true,
        biases: Biases::NONE,
        ..Options::PLAIN
    },
    experts: Some(ExpertRule {
        routing: Routing::Sorted,
        ..ExpertRule::PLAIN
    }),
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
    liger: None,
    without_checkpointing: Some("JetMoE"),
    tensor_plan: &[],
    groups_head: false,
    divides_experts: false,
    fixtures: Proof::of(&["jetmoe.jsonl"]),
    published: Proof::NONE,
    ..LLAMA
};
