//! `exaone4` (`models/exaone4, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{
    Biases, Family, Flag, HeadNorm, LayerNames, Masks, NormKind, Options, Parts, Proof, Reader,
    RotaryLayers, Sizes, Style, Window, WindowLayers, WindowOn,
};

/// `exaone4`.
pub(crate) const EXAONE4: Family = Family {
    model_types: &["exaone4"],
    source: "models/exaone4, transformers 5.23",
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
    // Names.
    names: LayerNames {
        norms: [
            None,
            Some("post_attention_layernorm"),
            None,
            Some("post_feedforward_layernorm"),
        ],
        ..LayerNames::LLAMA
    },
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
    // Support.
    liger: Some(crate::model::LigerSupport {
        norms_in_place: false,
        ..crate::model::LigerSupport::SWIGLU_SINCE_5
    }),
    fixtures: Proof::of(&["smollm3_exaone4_seed_oss.jsonl"]),
    published: Proof::of(&[
        ("exaone-4-1.2b", 1_279_391_488),
        ("exaone-4-32b", 32_003_216_384),
    ]),
    ..LLAMA
};
