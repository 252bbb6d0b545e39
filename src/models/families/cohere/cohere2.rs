//! `cohere2` (`models/cohere2, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{
    Family, Flag, HeadNorm, Masks, NormKind, Options, Parts, Proof, Reader, RotaryKind,
    RotaryLayers, Sizes, Style, Window, WindowLayers, WindowOn,
};

/// `cohere2`.
pub(crate) const COHERE2: Family = Family {
    model_types: &["cohere2"],
    source: "models/cohere2, transformers 5.23",
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
    style: Style {
        norm: NormKind::WideLayer,
        scaled_logits: true,
        masks: Masks::Both,
        masks_in_4: Masks::Narrowed,
        ..Style::LLAMA
    },
    layers: Parts {
        rotary_kind: RotaryKind::WidePairs,
        ..Parts::LLAMA
    },
    put_together: |c, _, _, parts| parts.head_norm = HeadNorm::Each.when(c.head_norms),
    // Programs.
    tasks: crate::model::CAUSAL_LM,
    generation: crate::model::Generation {
        caches: crate::model::Since::V451,
        caches_in_4: [crate::model::CacheIn4::Places; 2],
        ..crate::model::Generation::DECODER
    },
    // Support.
    liger: None,
    plain_logits: false,
    fixtures: Proof::of(&["cohere_stablelm.jsonl"]),
    published: Proof::of(&[("command-r7b", 8_028_033_024)]),
    ..LLAMA
};
