//! `qwen3_next` (`models/qwen3_next, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{
    DecoderType, DeltaRule, Family, Gate, HeadNorm, LayerNames, NormKind, Parts, Style, Turn,
};

/// `qwen3_next`.
pub(crate) const QWEN3_NEXT: Family = Family {
    model_types: &["qwen3_next"],
    source: "models/qwen3_next, transformers 5.23",
    decoder: Some(DecoderType::Qwen3Next),
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
        looks_for_padding: true,
        ..Style::LLAMA
    },
    layers: Parts {
        turn: Turn::FirstColumns,
        head_norm: HeadNorm::Rows(NormKind::OnePlusRoot),
        gate: Gate::BesideQueries,
        delta_rule: DeltaRule::Grouped,
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    // Support.
    fixtures: &["qwen3_next.jsonl"],
    published: &[("qwen3-next-80b-a3b", 79_674_391_296)],
    ..LLAMA
};
