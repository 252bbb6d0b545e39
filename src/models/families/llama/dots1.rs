//! `dots1` (`models/dots1, transformers 5.23`).

use crate::families::deepseek::{EXPERTS, SHARED};
use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{
    ExpertRule, Family, Flag, Groups, HeadNorm, Masks, NormKind, Options, Parts, Proof, Reader,
    Routing, SharedWidth, Sizes, SparseLayers, Style, Window, WindowLayers, WindowOn,
};

/// `dots1`.
pub(crate) const DOTS1: Family = Family {
    model_types: &["dots1"],
    source: "models/dots1, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(kin::read),
    sizes: Sizes {
        hidden: 4608,
        inner: 10_944,
        layers: 62,
        vocabulary: 152_064,
        kv_heads: Some(32),
        ..LLAMA.sizes
    },
    options: Options {
        head_norms: Flag::Always,
        ..Options::PLAIN
    },
    window: Window {
        on: WindowOn::UnlessNull,
        layers: WindowLayers::From(62),
        ..Window::NONE
    },
    experts: Some(ExpertRule {
        count: (EXPERTS.count.0, 128),
        per_token: 6,
        width: Some(1408),
        shared: SharedWidth::Times(SHARED, 2),
        normalized: Flag::Said("norm_topk_prob", false),
        routing: Routing::Corrected(Groups::ONE),
        layers: SparseLayers::After(0),
        ..EXPERTS
    }),
    // Names.
    // Parts.
    style: Style {
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
    generation: crate::model::Generation {
        special_tokens: 0,
        ..crate::model::Generation::DECODER
    },
    // Support.
    liger: None,
    adapter_support: crate::model::AdapterSupport::EXPERTS_OF_LAYERS,
    tensor_plan: crate::model::SHARED_EXPERTS_PLAN,
    fixtures: Proof::of(&["mixtures.jsonl"]),
    published: Proof::NONE,
    ..LLAMA
};
