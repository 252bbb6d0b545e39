//! `opt` (`models/opt, transformers 5.23`).

use super::reader;
use crate::families::llama::LLAMA;
use crate::model::{
    Biases, DropoutFields, Family, Flag, HeadDim, Options, Proof, Reader, RotaryColumns, Sizes,
    Style,
};

/// `opt`.
pub(crate) const OPT: Family = Family {
    model_types: &["opt"],
    source: "models/opt, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(reader::read),
    sizes: Sizes {
        hidden: 768,
        inner: 3072,
        layers: 12,
        heads: 12,
        vocabulary: 50_272,
        head_dim: HeadDim::Divided,
        ..LLAMA.sizes
    },
    options: Options {
        tied: true,
        biases: Biases::attention(Flag::Said("enable_bias", true)),
        rotary_columns: RotaryColumns::None,
        dropout: DropoutFields {
            residual: Some(("dropout", true)),
            ..DropoutFields::ATTENTION
        },
        ..Options::PLAIN
    },
    // Names.
    base_model: "model.decoder",
    // Parts.
    // Programs.
    generation: crate::model::Generation {
        logits_to_keep: crate::model::LogitsToKeep::Since(crate::model::Since::V5),
        caches_in_4: [
            crate::model::CacheIn4::Tuples,
            crate::model::CacheIn4::Returned,
        ],
        ..crate::model::Generation::DECODER
    },
    // Support.
    liger: None,
    style: Style {
        blind_masks: true,
        ..LLAMA.style
    },
    fixtures: Proof::of(&["opt.jsonl"]),
    published: Proof::of(&[("opt-125m", 125_239_296), ("opt-1.3b", 1_315_758_080)]),
    ..LLAMA
};
