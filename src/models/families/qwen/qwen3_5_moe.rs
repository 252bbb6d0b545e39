//! `qwen3_5_moe` (`models/qwen3_5_moe, transformers 5.23`).

use crate::families::hybrid::reader;
use crate::families::llama::LLAMA;
use crate::model::{
    ExpertRule, Family, Flag, Gate, Grids, HeadDim, HeadNorm, LayerNames, NormKind, Options, Parts,
    Proof, Reader, RotaryColumns, RotaryKind, SharedWidth, Sizes, Style,
};

/// `qwen3_5_moe`.
pub(crate) const QWEN3_5_MOE: Family = Family {
    model_types: &["qwen3_5_moe", "qwen3_5_moe_text"],
    source: "models/qwen3_5_moe, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(reader::read_delta),
    sizes: Sizes {
        hidden: 2048,
        inner: 5632,
        layers: 40,
        heads: 16,
        vocabulary: 248_320,
        kv_heads: Some(2),
        head_dim: HeadDim::Of(256),
        ..LLAMA.sizes
    },
    options: Options {
        head_norms: Flag::Always,
        rotary_columns: RotaryColumns::Share("partial_rotary_factor", 250),
        ..Options::PLAIN
    },
    experts: Some(ExpertRule {
        count: (&["num_experts"], 256),
        per_token: 8,
        width: Some(512),
        shared: SharedWidth::Field("shared_expert_intermediate_size", 512),
        ..ExpertRule::PLAIN
    }),
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
        rotary_kind: RotaryKind::FirstColumns,
        head_norm: HeadNorm::Rows(NormKind::OnePlusRoot),
        gate: Gate::BesideQueries,
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    liger: None,
    attention_support: crate::model::AttentionSupport {
        check: Some(crate::families::hybrid::check_delta_rule),
        ..crate::model::AttentionSupport::ALL
    },
    tensor_plan: &[],
    fixtures: Proof::of(&["qwen3_next.jsonl"]),
    published: Proof::of(&[
        ("qwen3.5-397b-a17b", 396_346_350_336),
        ("qwen3.5-122b-a10b", 122_111_526_912),
        ("qwen3.5-35b-a3b", 34_660_610_688),
    ]),
    ..LLAMA
};
