//! `ministral3` (`models/ministral3, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{
    Biases, Family, HeadDim, Options, Proof, Reader, Sizes, Window, WindowLayers, WindowOn,
};

/// `ministral3`.
pub(crate) const MINISTRAL3: Family = Family {
    model_types: &["ministral3"],
    source: "models/ministral3, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(kin::read),
    sizes: Sizes {
        inner: 14_336,
        layers: 34,
        vocabulary: 131_072,
        kv_heads: Some(8),
        head_dim: HeadDim::Of(128),
        ..LLAMA.sizes
    },
    options: Options {
        biases: Biases::NONE,
        scales_queries: true,
        ..Options::PLAIN
    },
    window: Window {
        on: WindowOn::Given,
        layers: WindowLayers::All,
        ..Window::NONE
    },
    // Names.
    // Parts.
    // Programs.
    since: crate::model::Since::V5,
    // Support.
    liger: None,
    fixtures: Proof::of(&["newest_decoders.jsonl"]),
    published: Proof::of(&[
        ("ministral-3-14b", 13_506_073_600),
        ("ministral-3-3b", 3_429_006_336),
        ("ministral-3-8b", 8_489_553_920),
    ]),
    ..LLAMA
};
