//! `gemma` (`models/gemma, transformers 5.23`).

use super::reader;
use crate::families::llama::LLAMA;
use crate::model::{
    Activation, EmbeddingScale, Family, HeadDim, MlpFunction, NormKind, Options, Proof, Reader,
    Sizes, Style, Transformers,
};

/// `gemma`.
pub(crate) const GEMMA: Family = Family {
    model_types: &["gemma"],
    source: "models/gemma, transformers 5.23",
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
    style: Style {
        norm: NormKind::OnePlusRoot,
        embedding_scale: EmbeddingScale::Buffer,
        ..Style::LLAMA
    },
    put_together: |_, version, style, _| {
        if version != Transformers::V5 {
            style.embedding_scale = EmbeddingScale::Late;
        }
    },
    // Programs.
    // Support.
    liger: Some(crate::model::LigerSupport::GEGLU),
    adapter_support: crate::model::AdapterSupport::SCALED_TABLE,
    fixtures: Proof::of(&["gemma.jsonl"]),
    published: Proof::of(&[("gemma-7b", 8_537_680_896), ("gemma-2b", 2_506_172_416)]),
    ..LLAMA
};
