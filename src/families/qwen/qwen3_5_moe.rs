//! `qwen3_5_moe` (`models/qwen3_5_moe, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{
    DecoderType, Family, Gate, Grids, HeadNorm, LayerNames, NormKind, Parts, Style, Turn,
};

/// `qwen3_5_moe`.
pub(crate) const QWEN3_5_MOE: Family = Family {
    model_types: &["qwen3_5_moe", "qwen3_5_moe_text"],
    source: "models/qwen3_5_moe, transformers 5.23",
    decoder: Some(DecoderType::Qwen35Moe),
    // Sizes and options.
    // Names.
    names: LayerNames {
        mixer: "linear_attn",
        shared: "shared_expert",
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
    tasks: crate::model::CAUSAL_LM,
    // Support.
    fixtures: &["qwen3_next.jsonl"],
    published: &[("qwen3.5-35b-a3b", 34_660_610_688)],
    ..LLAMA
};
