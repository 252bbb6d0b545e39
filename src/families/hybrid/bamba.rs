//! `bamba` (`models/bamba, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family, LayerNames, Parts, Piece, Style, Turn};

/// `bamba`.
pub(crate) const BAMBA: Family = Family {
    model_types: &["bamba"],
    source: "models/bamba, transformers 5.23",
    decoder: Some(DecoderType::Bamba),
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
        order: [Piece::Mlp, Piece::Norms, Piece::Mixer, Piece::Beside],
        ..LayerNames::LLAMA
    },
    // Parts.
    style: Style {
        looks_for_padding: true,
        ..Style::LLAMA
    },
    layers: Parts {
        turn: Turn::FirstColumns,
        gives_weights: true,
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V451,
    tasks: crate::model::CAUSAL_LM,
    generation: crate::model::Generation {
        caches: crate::model::Since::V5,
        ..crate::model::Generation::DECODER
    },
    // Support.
    fixtures: &["lfm2_bamba.jsonl", "mamba2_before_5.jsonl"],
    published: &[("bamba-9b", 9_780_235_392)],
    ..LLAMA
};
