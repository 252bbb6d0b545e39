//! `mpt` (`models/mpt, transformers 5.23`).

use super::reader;
use crate::families::llama::LLAMA;
use crate::model::{Biases, Family, HeadDim, Options, Proof, Reader, RotaryColumns, Sizes};

/// `mpt`.
pub(crate) const MPT: Family = Family {
    model_types: &["mpt"],
    source: "models/mpt, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(reader::read),
    sizes: Sizes {
        hidden: 2048,
        inner: 8192,
        layers: 24,
        heads: 16,
        vocabulary: 50_368,
        head_dim: HeadDim::Divided,
        ..LLAMA.sizes
    },
    options: Options {
        tied: true,
        biases: Biases::NONE,
        rotary_columns: RotaryColumns::None,
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
        caches_in_4: [crate::model::CacheIn4::Tuples; 2],
        special_tokens: 0,
        positions: false,
        ..crate::model::Generation::DECODER
    },
    // Support.
    liger: None,
    attention_support: crate::families::bloom::ATTENTION,
    fixtures: Proof::of(&["mpt.jsonl"]),
    published: Proof::of(&[("mpt-7b", 6_649_286_656), ("mpt-30b", 29_957_200_896)]),
    ..LLAMA
};
