//! `falcon_h1` (`models/falcon_h1, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{
    DecoderType, EmbeddingScale, Family, LayerNames, MlpNames, Parts, Piece, Style,
};

/// `falcon_h1`.
pub(crate) const FALCON_H1: Family = Family {
    model_types: &["falcon_h1"],
    source: "models/falcon_h1, transformers 5.23",
    decoder: Some(DecoderType::FalconH1),
    // Sizes and options.
    // Names.
    names: LayerNames {
        block: "feed_forward",
        mixer: "mamba",
        last_norm: "final_layernorm",
        norms: [
            Some("input_layernorm"),
            None,
            Some("pre_ff_layernorm"),
            None,
        ],
        order: [Piece::Mlp, Piece::Mixer, Piece::Norms, Piece::Beside],
        mlp: MlpNames::Multiplied,
        ..LayerNames::LLAMA
    },
    // Parts.
    style: Style {
        embedding_scale: EmbeddingScale::Number,
        scaled_logits: true,
        looks_for_padding: true,
        ..Style::LLAMA
    },
    layers: Parts {
        scales_keys: true,
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    fixtures: &["falcon_h1.jsonl"],
    published: &[("falcon-h1-0.5b", 521_411_104)],
    ..LLAMA
};
