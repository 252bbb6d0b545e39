//! `seed_oss` (`models/seed_oss, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{
    Biases, DropoutFields, Family, Flag, HeadDim, Options, Parts, Proof, Reader, Sizes,
};

/// `seed_oss`.
pub(crate) const SEED_OSS: Family = Family {
    model_types: &["seed_oss"],
    source: "models/seed_oss, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(kin::read),
    sizes: Sizes {
        inner: 27_648,
        layers: 64,
        heads: 80,
        vocabulary: 155_136,
        kv_heads: Some(8),
        head_dim: HeadDim::Of(128),
        ..LLAMA.sizes
    },
    options: Options {
        biases: Biases {
            qkv: Flag::Said("attention_bias", true),
            output: Flag::Said("attention_out_bias", false),
            mlp: Flag::MLP_BIAS,
        },
        dropout: DropoutFields {
            embedding: None,
            attention: Some(("attention_dropout", true)),
            residual: Some(("residual_dropout", true)),
            ..DropoutFields::NONE
        },
        ..Options::PLAIN
    },
    // Names.
    // Parts.
    layers: Parts {
        drops_attended: true,
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    // Support.
    liger: None,
    fixtures: Proof::of(&["smollm3_exaone4_seed_oss.jsonl"]),
    published: Proof::of(&[("seed-oss-36b", 36_151_104_512)]),
    ..LLAMA
};
