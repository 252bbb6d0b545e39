//! `internlm3` (`models/internlm3, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{Biases, Family, Flag, HeadDim, Options, Proof, Reader, Sizes};

/// `internlm3`.
pub(crate) const INTERNLM3: Family = Family {
    model_types: &["internlm3"],
    source: "models/internlm3, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(kin::read),
    sizes: Sizes {
        inner: 10_240,
        layers: 48,
        vocabulary: 128_512,
        kv_heads: Some(2),
        head_dim: HeadDim::Of(128),
        ..LLAMA.sizes
    },
    options: Options {
        biases: Biases {
            mlp: Flag::Either(["mlp_bias", "bias"]),
            ..Biases::attention(Flag::Either(["attention_bias", "qkv_bias"]))
        },
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
    published: Proof::of(&[("internlm3-8b", 8_804_241_408)]),
    ..LLAMA
};
