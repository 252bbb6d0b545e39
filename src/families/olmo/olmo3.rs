//! `olmo3` (`models/olmo3, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{
    DecoderType, Family, Flag, Options, Reader, Sizes, Window, WindowLayers, WindowOn,
};

/// `olmo3`.
pub(crate) const OLMO3: Family = Family {
    model_types: &["olmo3"],
    source: "models/olmo3, transformers 5.23",
    decoder: Some(DecoderType::Olmo3),
    // Sizes and options.
    read: Reader::Decoder(kin::read),
    sizes: Sizes {
        vocabulary: 50_304,
        ..LLAMA.sizes
    },
    options: Options {
        head_norms: Flag::Always,
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
    fixtures: &["olmo_glm_helium.jsonl"],
    published: &[("olmo-3-7b", 7_298_011_136)],
    ..LLAMA
};
