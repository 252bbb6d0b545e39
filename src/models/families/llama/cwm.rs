//! `cwm` (`models/cwm, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{
    Biases, Family, Flag, HeadDim, Masks, Options, Proof, Reader, Sizes, Style, Window,
    WindowLayers, WindowOn,
};

/// `cwm`.
pub(crate) const CWM: Family = Family {
    model_types: &["cwm"],
    source: "models/cwm, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(kin::read),
    sizes: Sizes {
        hidden: 6144,
        inner: 21_504,
        layers: 64,
        heads: 48,
        vocabulary: 128_256,
        kv_heads: Some(8),
        head_dim: HeadDim::Of(128),
        ..LLAMA.sizes
    },
    options: Options {
        biases: Biases {
            mlp: Flag::MLP_BIAS,
            ..Biases::NONE
        },
        ..Options::PLAIN
    },
    window: Window {
        on: WindowOn::UnlessNull,
        layers: WindowLayers::AfterEvery(4),
        width: 8192,
        ..Window::NONE
    },
    // Names.
    // Parts.
    style: Style {
        masks: Masks::Both,
        ..Style::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    liger: None,
    fixtures: Proof::of(&["newest_decoders.jsonl"]),
    published: Proof::of(&[("cwm-32b", 32_581_097_472)]),
    ..LLAMA
};
