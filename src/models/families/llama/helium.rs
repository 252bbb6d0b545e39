//! `helium` (`models/helium, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{
    Biases, Family, Flag, HeadDim, NormKind, Options, Parts, Proof, Reader, RotaryKind, Sizes,
    Style,
};

/// `helium`.
pub(crate) const HELIUM: Family = Family {
    model_types: &["helium"],
    source: "models/helium, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(kin::read),
    sizes: Sizes {
        hidden: 2560,
        inner: 7040,
        layers: 24,
        heads: 20,
        vocabulary: 48_000,
        kv_heads: Some(20),
        head_dim: HeadDim::Of(128),
        ..LLAMA.sizes
    },
    options: Options {
        biases: Biases {
            mlp: Flag::MLP_BIAS,
            ..Biases::QKV
        },
        ..Options::PLAIN
    },
    // Names.
    // Parts.
    style: Style {
        norm: NormKind::WidenedRoot,
        ..Style::LLAMA
    },
    layers: Parts {
        rotary_kind: RotaryKind::Pairs,
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V451,
    // Support.
    liger: None,
    fixtures: Proof::of(&["olmo_glm_helium.jsonl"]),
    published: Proof::of(&[("helium-1-2b", 2_172_643_840)]),
    ..LLAMA
};
