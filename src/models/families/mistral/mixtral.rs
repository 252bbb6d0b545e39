//! `mixtral` (`models/mixtral, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{
    Biases, ExpertRule, Family, LayerNames, MaskingIn4, Options, Proof, Routing, Sizes,
    StoredExperts, Style, Window, WindowLayers, WindowOn,
};

/// `mixtral`.
pub(crate) const MIXTRAL: Family = Family {
    model_types: &["mixtral"],
    source: "models/mixtral, transformers 5.23",
    // Sizes and options.
    sizes: Sizes {
        inner: 14_336,
        kv_heads: Some(8),
        ..LLAMA.sizes
    },
    options: Options {
        biases: Biases::NONE,
        ..Options::PLAIN
    },
    window: Window {
        on: WindowOn::Given,
        layers: WindowLayers::All,
        ..Window::NONE
    },
    experts: Some(ExpertRule {
        stored: StoredExperts::Numbered,
        routing: Routing::WideSoftmax,
        ..ExpertRule::PLAIN
    }),
    // Names.
    names: LayerNames {
        numbered_in_4: true,
        mixture_is_leaf: true,
        ..LayerNames::LLAMA
    },
    // Parts.
    style: Style {
        masking_in_4: MaskingIn4::Window,
        ..Style::LLAMA
    },
    // Programs.
    // Support.
    liger: Some(crate::model::LigerSupport::SWIGLU_SINCE_5),
    adapter_support: crate::model::AdapterSupport::EXPERTS_OF_MIXTRAL,
    tensor_plan: crate::model::EXPERTS_PLAN,
    fixtures: Proof::of(&["moe.jsonl"]),
    published: Proof::of(&[
        ("mixtral-8x7b", 46_702_792_704),
        ("mixtral-8x22b", 140_620_634_112),
    ]),
    ..LLAMA
};
