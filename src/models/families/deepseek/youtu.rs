//! `youtu` (`models/youtu, transformers 5.23`).

use super::reader;
use crate::families::llama::LLAMA;
use crate::model::{Family, Latent, LatentRotary, Options, Proof, Reader, Sizes};

/// `youtu`.
pub(crate) const YOUTU: Family = Family {
    model_types: &["youtu"],
    source: "models/youtu, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(reader::read),
    sizes: Sizes {
        hidden: 2048,
        inner: 6144,
        heads: 16,
        vocabulary: 128_256,
        ..LLAMA.sizes
    },
    options: Options {
        tied: true,
        ..Options::PLAIN
    },
    latent: Some(Latent {
        query_rank: Some(1536),
        rank: 512,
        straight: 128,
        rotated: 64,
        value: 128,
        rotary: LatentRotary::Pairs,
        indexer: None,
    }),
    // Names.
    // Parts.
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    liger: None,
    tensor_plan: &[],
    fixtures: Proof::of(&["further_decoders.jsonl"]),
    published: Proof::of(&[("youtu-llm-2b", 1_961_560_064)]),
    ..LLAMA
};
