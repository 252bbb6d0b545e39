//! `phimoe` (`models/phimoe, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{
    ExpertRule, Family, Flag, LayerNames, NormKind, Options, Proof, Reader, Routing, Sizes,
    StoredExperts, Style, Window, WindowLayers, WindowOn,
};

/// `phimoe`.
pub(crate) const PHIMOE: Family = Family {
    model_types: &["phimoe"],
    source: "models/phimoe, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(kin::read),
    sizes: Sizes {
        inner: 6400,
        vocabulary: 32_064,
        kv_heads: Some(8),
        ..LLAMA.sizes
    },
    options: Options {
        head_bias: Flag::Said("lm_head_bias", false),
        ..Options::PLAIN
    },
    window: Window {
        on: WindowOn::Given,
        layers: WindowLayers::All,
        ..Window::NONE
    },
    experts: Some(ExpertRule {
        stored: StoredExperts::Numbered,
        count: (&["num_local_experts", "num_experts"], 16),
        routing: Routing::Drawn { jitter: false },
        ..ExpertRule::PLAIN
    }),
    // Names.
    names: LayerNames {
        router: "router",
        numbered_in_4: true,
        ..LayerNames::LLAMA
    },
    // Parts.
    style: Style {
        norm: NormKind::Layer,
        remade_rotary: true,
        ..Style::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    // Support.
    liger: None,
    adapter_support: crate::model::AdapterSupport::LINEAR_ROUTERS,
    tensor_plan: &[],
    fixtures: Proof::of(&["phimoe.jsonl"]),
    published: Proof::of(&[("phi-3.5-moe", 41_873_153_344)]),
    ..LLAMA
};
