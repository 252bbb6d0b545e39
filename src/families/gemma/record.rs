//! `gemma` (`models/gemma, transformers 5.23`).

use super::reader;
use crate::families::llama::LLAMA;
use crate::model::{Activation, DecoderType, Family, HeadDim, MlpFunction, Options, Reader, Sizes};

/// `gemma`.
pub(crate) const GEMMA: Family = Family {
    model_types: &["gemma"],
    source: "models/gemma, transformers 5.23",
    decoder: Some(DecoderType::Gemma),
    // Sizes and options.
    read: Reader::Decoder(reader::read),
    sizes: Sizes {
        hidden: 3072,
        inner: 24_576,
        layers: 28,
        heads: 16,
        vocabulary: 256_000,
        kv_heads: Some(16),
        head_dim: HeadDim::Of(256),
        ..LLAMA.sizes
    },
    options: Options {
        tied: true,
        function: MlpFunction::Fixed("hidden_activation", &[], Activation::Gelu),
        ..Options::PLAIN
    },
    // Names.
    // Parts.
    // Programs.
    // Support.
    fixtures: &["gemma.jsonl"],
    published: &[("gemma-2b", 2_506_172_416)],
    ..LLAMA
};
