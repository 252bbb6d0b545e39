//! `minimax` (`models/minimax, transformers 5.23`).

use super::reader;
use crate::families::llama::LLAMA;
use crate::model::{
    Biases, DecoderType, ExpertRule, Family, Options, Reader, Routing, Sizes, Window, WindowLayers,
    WindowOn,
};

/// `minimax`.
pub(crate) const MINIMAX: Family = Family {
    model_types: &["minimax"],
    source: "models/minimax, transformers 5.23",
    decoder: Some(DecoderType::MiniMax),
    // Sizes and options.
    read: Reader::Decoder(reader::read),
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
        routing: Routing::WideSoftmax,
        ..ExpertRule::PLAIN
    }),
    // Names.
    // Parts.
    // Programs.
    // Support.
    fixtures: &["minimax.jsonl"],
    published: &[("minimax-text-01", 456_089_655_296)],
    ..LLAMA
};
