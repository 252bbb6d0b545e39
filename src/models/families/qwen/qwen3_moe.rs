//! `qwen3_moe` (`models/qwen3_moe, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{
    ExpertRule, Family, Flag, HeadNorm, LayerNames, MaskingIn4, NormKind, Options, Parts, Proof,
    Sizes, SparseLayers, Style, Window, WindowLayers, WindowOn,
};

/// `qwen3_moe`.
pub(crate) const QWEN3_MOE: Family = Family {
    model_types: &["qwen3_moe"],
    source: "models/qwen3_moe, transformers 5.23",
    // Sizes and options.
    sizes: Sizes {
        inner: 6144,
        vocabulary: 151_936,
        kv_heads: Some(4),
        ..LLAMA.sizes
    },
    options: Options::PLAIN,
    window: Window {
        on: WindowOn::Asked,
        layers: WindowLayers::All,
        ..Window::NONE
    },
    experts: Some(ExpertRule {
        count: (&["num_experts"], 128),
        per_token: 8,
        width: Some(768),
        normalized: Flag::Said("norm_topk_prob", false),
        built_first: true,
        layers: SparseLayers::Stepped,
        ..ExpertRule::PLAIN
    }),
    // Names.
    names: LayerNames {
        mixture_is_leaf: true,
        ..LayerNames::LLAMA
    },
    // Parts.
    style: Style {
        masking_in_4: MaskingIn4::Window,
        ..Style::LLAMA
    },
    layers: Parts {
        head_norm: HeadNorm::Rows(NormKind::Root),
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V451,
    generation: crate::model::Generation {
        special_tokens: 0,
        ..crate::model::Generation::DECODER
    },
    // Support.
    liger: Some(crate::model::LigerSupport::SWIGLU_SINCE_5),
    adapter_support: crate::model::AdapterSupport::EXPERTS_OF_LAYERS,
    balances_every_layer: true,
    tensor_plan: crate::model::MIXED_PLAN,
    fixtures: Proof::of(&["moe.jsonl"]),
    published: Proof::of(&[
        ("qwen3-coder-480b-a35b", 480_154_875_392),
        ("qwen3-30b-a3b", 30_532_122_624),
        ("qwen3-235b-a22b", 235_093_634_560),
    ]),
    ..LLAMA
};
