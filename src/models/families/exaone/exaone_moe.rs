//! `exaone_moe` (`models/exaone_moe, transformers 5.23`).

use crate::families::deepseek::EXPERTS;
use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{
    Biases, ExpertRule, Family, Flag, Groups, HeadNorm, Masks, NormKind, Options, Parts, Proof,
    Reader, RotaryLayers, Routing, Sizes, SparseLayers, Style, Window, WindowLayers, WindowOn,
};

/// `exaone_moe`.
pub(crate) const EXAONE_MOE: Family = Family {
    model_types: &["exaone_moe"],
    source: "models/exaone_moe, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(kin::read),
    sizes: Sizes {
        inner: 16_384,
        vocabulary: 102_400,
        kv_heads: Some(32),
        ..LLAMA.sizes
    },
    options: Options {
        biases: Biases::NONE,
        head_norms: Flag::Always,
        rotary_layers: RotaryLayers::WindowedOrAll,
        ..Options::PLAIN
    },
    window: Window {
        on: WindowOn::UnlessNull,
        layers: WindowLayers::BetweenEvery(Some("sliding_window_pattern"), 4),
        ..Window::NONE
    },
    experts: Some(ExpertRule {
        count: (EXPERTS.count.0, 64),
        width: Some(1024),
        routing: Routing::Corrected(Groups::ONE),
        layers: SparseLayers::After(1),
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
        head_norm: HeadNorm::Heads(NormKind::Root),
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    liger: None,
    adapter_support: crate::model::AdapterSupport::EXPERTS_OF_LAYERS,
    tensor_plan: crate::model::MIXED_PLAN,
    fixtures: Proof::of(&["newest_decoders.jsonl"]),
    published: Proof::of(&[("k-exaone-236b-a23b", 236_571_150_336)]),
    ..LLAMA
};
