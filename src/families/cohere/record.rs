//! `cohere` (`models/cohere, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{DecoderType, Family, Flag, Options, Reader, Sizes};

/// `cohere`.
pub(crate) const COHERE: Family = Family {
    model_types: &["cohere"],
    source: "models/cohere, transformers 5.23",
    decoder: Some(DecoderType::Cohere),
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
        head_norms: Flag::Said("use_qk_norm", false),
        parallel_residual: Flag::Always,
        ..Options::PLAIN
    },
    // Names.
    // Parts.
    // Programs.
    // Support.
    fixtures: &["cohere_stablelm.jsonl"],
    published: &[
        ("command-r-35b", 34_980_831_232),
        ("aya-23-8b", 8_028_033_024),
    ],
    ..LLAMA
};
