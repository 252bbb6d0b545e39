//! `smollm3` (`models/smollm3, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{
    Biases, Family, Masks, Options, Proof, Reader, RotaryLayers, Sizes, Style, Window,
    WindowLayers, WindowOn,
};

/// `smollm3`.
pub(crate) const SMOLLM3: Family = Family {
    model_types: &["smollm3"],
    source: "models/smollm3, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(kin::read),
    sizes: Sizes {
        hidden: 2048,
        layers: 36,
        heads: 16,
        vocabulary: 128_256,
        kv_heads: Some(4),
        ..LLAMA.sizes
    },
    options: Options {
        tied: true,
        biases: Biases::ATTENTION_AND_MLP,
        rotary_layers: RotaryLayers::Listed,
        ..Options::PLAIN
    },
    window: Window {
        on: WindowOn::AskedAndGiven,
        layers: WindowLayers::Unturned,
        ..Window::NONE
    },
    // Names.
    // Parts.
    style: Style {
        masks: Masks::Both,
        only_needed_masks: true,
        ..Style::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    // Support.
    liger: Some(crate::model::LigerSupport::SWIGLU_SINCE_5),
    fixtures: Proof::of(&["smollm3_exaone4_seed_oss.jsonl"]),
    published: Proof::of(&[("smollm3-3b", 3_075_098_624)]),
    ..LLAMA
};
