//! `qwen3_5` (`models/qwen3_5, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{
    DecoderType, Family, Gate, Grids, HeadNorm, LayerNames, NormKind, Parts, Style, Turn,
};

/// `qwen3_5`.
pub(crate) const QWEN3_5: Family = Family {
    model_types: &["qwen3_5", "qwen3_5_text"],
    source: "models/qwen3_5, transformers 5.23",
    decoder: Some(DecoderType::Qwen35),
    // Sizes and options.
    // Names.
    names: LayerNames {
        mixer: "linear_attn",
        ..LayerNames::LLAMA
    },
    // Parts.
    style: Style {
        norm: NormKind::OnePlusRoot,
        grids: Grids::InTurn,
        looks_for_padding: true,
        ..Style::LLAMA
    },
    layers: Parts {
        turn: Turn::FirstColumns,
        head_norm: HeadNorm::Rows(NormKind::OnePlusRoot),
        gate: Gate::BesideQueries,
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    // Support.
    fixtures: &["qwen3_next.jsonl"],
    published: &[("qwen3.5-9b", 8_953_803_264)],
    ..LLAMA
};
