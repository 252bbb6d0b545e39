//! `qwen3_5` (`models/qwen3_5, transformers 5.23`).

use crate::families::hybrid::reader;
use crate::families::llama::LLAMA;
use crate::model::{
    Family, Flag, Gate, Grids, HeadDim, HeadNorm, LayerNames, NormKind, Options, Parts, Proof,
    Reader, RotaryColumns, RotaryKind, Sizes, Style,
};

/// `qwen3_5`.
pub(crate) const QWEN3_5: Family = Family {
    model_types: &["qwen3_5", "qwen3_5_text"],
    source: "models/qwen3_5, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(reader::read_delta),
    sizes: Sizes {
        inner: 12_288,
        heads: 16,
        vocabulary: 248_320,
        kv_heads: Some(4),
        head_dim: HeadDim::Of(256),
        ..LLAMA.sizes
    },
    options: Options {
        head_norms: Flag::Always,
        rotary_columns: RotaryColumns::Share("partial_rotary_factor", 250),
        ..Options::PLAIN
    },
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
        rotary_kind: RotaryKind::FirstColumns,
        head_norm: HeadNorm::Rows(NormKind::OnePlusRoot),
        gate: Gate::BesideQueries,
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    // Support.
    liger: None,
    attention_support: crate::model::AttentionSupport {
        check: Some(crate::families::hybrid::check_delta_rule),
        ..crate::model::AttentionSupport::ALL
    },
    tensor_plan: &[],
    fixtures: Proof::of(&["qwen3_next.jsonl"]),
    published: Proof::of(&[
        ("qwen3.5-27b", 26_895_998_464),
        ("qwen3.5-4b", 4_205_751_296),
        ("qwen3.5-2b", 1_881_825_088),
        ("qwen3.5-0.8b", 752_393_024),
        ("qwen3.5-9b", 8_953_803_264),
    ]),
    ..LLAMA
};
