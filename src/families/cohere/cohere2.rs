//! `cohere2` (`models/cohere2, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{
    DecoderType, Family, Flag, Options, Reader, RotaryLayers, Sizes, Window, WindowLayers, WindowOn,
};

/// `cohere2`.
pub(crate) const COHERE2: Family = Family {
    model_types: &["cohere2"],
    source: "models/cohere2, transformers 5.23",
    decoder: Some(DecoderType::Cohere2),
    // Sizes and options.
    read: Reader::Decoder(kin::read),
    sizes: Sizes {
        hidden: 8192,
        inner: 22_528,
        layers: 40,
        heads: 64,
        vocabulary: 256_000,
        ..LLAMA.sizes
    },
    options: Options {
        tied: true,
        parallel_residual: Flag::Always,
        rotary_layers: RotaryLayers::Windowed,
        ..Options::PLAIN
    },
    window: Window {
        on: WindowOn::UnlessNull,
        layers: WindowLayers::BetweenEvery(Some("sliding_window_pattern"), 4),
        ..Window::NONE
    },
    // Names.
    // Parts.
    // Programs.
    // Support.
    fixtures: &["cohere_stablelm.jsonl"],
    published: &[("command-r7b", 8_028_033_024)],
    ..LLAMA
};
