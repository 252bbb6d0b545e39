//! `gemma3_text` (`models/gemma3, transformers 5.23`).

use super::reader;
use crate::families::llama::LLAMA;
use crate::model::{
    Activation, DecoderType, Family, HeadDim, MlpFunction, Options, Reader, Sizes, Window,
    WindowLayers, WindowOn,
};

/// `gemma3_text`.
pub(crate) const GEMMA3_TEXT: Family = Family {
    model_types: &["gemma3_text"],
    source: "models/gemma3, transformers 5.23",
    decoder: Some(DecoderType::Gemma3),
    // Sizes and options.
    read: Reader::Decoder(reader::read),
    sizes: Sizes {
        hidden: 2304,
        inner: 9216,
        layers: 26,
        heads: 8,
        vocabulary: 262_208,
        kv_heads: Some(4),
        head_dim: HeadDim::Of(256),
        ..LLAMA.sizes
    },
    options: Options {
        tied: true,
        function: MlpFunction::Fixed("hidden_activation", &[], Activation::Gelu),
        ..Options::PLAIN
    },
    window: Window {
        on: WindowOn::UnlessNull,
        layers: WindowLayers::BetweenEvery(Some("sliding_window_pattern"), 6),
        ..Window::NONE
    },
    // Names.
    // Parts.
    // Programs.
    // Support.
    fixtures: &["gemma.jsonl"],
    published: &[("gemma-3-1b", 999_885_952)],
    ..LLAMA
};
