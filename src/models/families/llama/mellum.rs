//! `mellum` (`models/mellum, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{
    ExpertRule, Family, Flag, HeadDim, HeadNorm, Masks, NormKind, Options, Parts, Proof, Reader,
    Sizes, SparseLayers, Style, Window, WindowLayers, WindowOn,
};

/// `mellum`.
pub(crate) const MELLUM: Family = Family {
    model_types: &["mellum"],
    source: "models/mellum, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(kin::read),
    sizes: Sizes {
        hidden: 2304,
        inner: 7168,
        layers: 28,
        vocabulary: 98_304,
        kv_heads: Some(4),
        head_dim: HeadDim::Of(128),
        ..LLAMA.sizes
    },
    options: Options {
        head_norms: Flag::Always,
        ..Options::PLAIN
    },
    window: Window {
        on: WindowOn::UnlessNull,
        layers: WindowLayers::NoneUnlessListed,
        width: 1024,
        ..Window::NONE
    },
    experts: Some(ExpertRule {
        count: (&["num_local_experts", "num_experts"], 64),
        per_token: 8,
        width: Some(896),
        normalized: Flag::Said("norm_topk_prob", true),
        built_first: true,
        layers: SparseLayers::Listed,
        ..ExpertRule::PLAIN
    }),
    // Names.
    // Parts.
    style: Style {
        local_rotary: true,
        masks: Masks::Both,
        only_needed_masks: true,
        ..Style::LLAMA
    },
    layers: Parts {
        head_norm: HeadNorm::Rows(NormKind::Root),
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    liger: None,
    adapter_support: crate::model::AdapterSupport::EXPERTS_OF_LAYERS,
    tensor_plan: crate::model::MIXED_PLAN,
    fixtures: Proof::of(&["further_decoders.jsonl"]),
    published: Proof::NONE,
    ..LLAMA
};
