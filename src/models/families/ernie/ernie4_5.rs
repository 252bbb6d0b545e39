//! `ernie4_5` (`models/ernie4_5, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{
    Biases, Family, Flag, HeadDim, Options, Parts, Proof, Reader, RotaryKind, Sizes, Style,
};

/// `ernie4_5`.
pub(crate) const ERNIE4_5: Family = Family {
    model_types: &["ernie4_5"],
    source: "models/ernie4_5, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(kin::read),
    sizes: Sizes {
        hidden: 1024,
        inner: 3072,
        layers: 18,
        heads: 16,
        vocabulary: 103_424,
        kv_heads: Some(2),
        head_dim: HeadDim::Of(128),
        ..LLAMA.sizes
    },
    options: Options {
        tied: true,
        biases: Biases::all(Flag::Said("use_bias", false)),
        ..Options::PLAIN
    },
    // Names.
    // Parts.
    style: Style {
        wide_rotary: true,
        ..Style::LLAMA
    },
    layers: Parts {
        rotary_kind: RotaryKind::WideNeighbours,
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    liger: None,
    fixtures: Proof::of(&["smollm3_exaone4_seed_oss.jsonl"]),
    published: Proof::of(&[
        ("ernie-4.5-0.3b", 360_748_032),
        ("paddleocr-vl-0.9b", 466_654_208),
    ]),
    ..LLAMA
};
