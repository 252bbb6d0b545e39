//! `qwen3_next` (`models/qwen3_next, transformers 5.23`).

use crate::families::hybrid::reader;
use crate::families::llama::LLAMA;
use crate::model::{
    DeltaRule, ExpertRule, Family, Flag, Gate, HeadDim, HeadNorm, LayerNames, NormKind, Options,
    Parts, Proof, Reader, RotaryColumns, RotaryKind, SharedWidth, Sizes, SparseLayers, Style,
};

/// `qwen3_next`.
pub(crate) const QWEN3_NEXT: Family = Family {
    model_types: &["qwen3_next"],
    source: "models/qwen3_next, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(reader::read_delta),
    sizes: Sizes {
        hidden: 2048,
        inner: 5632,
        layers: 48,
        heads: 16,
        vocabulary: 151_936,
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
        count: (&["num_experts"], 512),
        none: Some(0),
        per_token: 10,
        width: Some(512),
        shared: SharedWidth::Field("shared_expert_intermediate_size", 512),
        normalized: Flag::Said("norm_topk_prob", true),
        layers: SparseLayers::Stepped,
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
        looks_for_padding: true,
        ..Style::LLAMA
    },
    layers: Parts {
        rotary_kind: RotaryKind::FirstColumns,
        head_norm: HeadNorm::Rows(NormKind::OnePlusRoot),
        gate: Gate::BesideQueries,
        delta_rule: DeltaRule::Grouped,
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
    adapter_support: crate::model::AdapterSupport::EXPERTS_OF_LAYERS,
    tensor_plan: &[],
    fixtures: Proof::of(&["qwen3_next.jsonl"]),
    published: Proof::of(&[("qwen3-next-80b-a3b", 79_674_391_296)]),
    ..LLAMA
};
