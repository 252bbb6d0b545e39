//! `iquestcoder` (`models/iquestcoder, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{Biases, Family, HeadDim, Options, Proof, Reader, Sizes};

/// `iquestcoder`.
pub(crate) const IQUESTCODER: Family = Family {
    model_types: &["iquestcoder"],
    source: "models/iquestcoder, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(kin::read),
    sizes: Sizes {
        hidden: 5120,
        inner: 27_648,
        layers: 80,
        heads: 40,
        vocabulary: 76_800,
        kv_heads: Some(8),
        head_dim: HeadDim::Of(128),
        ..LLAMA.sizes
    },
    options: Options {
        biases: Biases::ATTENTION_AND_MLP,
        ..Options::PLAIN
    },
    // Names.
    // Parts.
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    liger: None,
    fixtures: Proof::of(&["further_decoders.jsonl"]),
    published: Proof::of(&[("iquest-coder-40b", 39_794_283_520)]),
    ..LLAMA
};
