//! `bloom` (`models/bloom, transformers 5.23`).

use super::reader;
use crate::families::llama::LLAMA;
use crate::model::{
    Biases, Dropout, DropoutFields, Family, Flag, HeadDim, Options, Proof, Reader, RotaryColumns,
    Sizes,
};

/// `bloom`.
pub(crate) const BLOOM: Family = Family {
    model_types: &["bloom"],
    source: "models/bloom, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(reader::read),
    sizes: Sizes {
        hidden: 64,
        inner: 256,
        layers: 2,
        heads: 8,
        vocabulary: 250_880,
        head_dim: HeadDim::Divided,
        ..LLAMA.sizes
    },
    options: Options {
        tied: true,
        biases: Biases::attention(Flag::Always),
        rotary_columns: RotaryColumns::None,
        dropout: DropoutFields {
            residual: Some(("hidden_dropout", false)),
            modules: Dropout::ATTENTION,
            ..DropoutFields::ATTENTION
        },
        ..Options::PLAIN
    },
    // Names.
    // Parts.
    style: crate::model::Style {
        blind_masks: true,
        returns_several: true,
        ..crate::model::Style::LLAMA
    },
    // Programs.
    generation: crate::model::Generation {
        logits_to_keep: crate::model::LogitsToKeep::Since(crate::model::Since::V5),
        caches_in_4: [crate::model::CacheIn4::Returned; 2],
        positions: false,
        ..crate::model::Generation::DECODER
    },
    // Support.
    liger: None,
    attention_support: super::ATTENTION,
    fixtures: Proof::of(&["bloom.jsonl"]),
    published: Proof::of(&[
        ("bloom-560m", 559_214_592),
        ("bloom-1.1b", 1_065_314_304),
        ("bloom-1.7b", 1_722_408_960),
        ("bloom-3b", 3_002_557_440),
        ("bloom-7.1b", 7_069_016_064),
        ("bloom-176b", 176_247_271_424),
    ]),
    ..LLAMA
};
