//! `gemma` (`models/gemma, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, EmbeddingScale, Family, NormKind, Style, Transformers};

/// `gemma`.
pub(crate) const GEMMA: Family = Family {
    model_types: &["gemma"],
    source: "models/gemma, transformers 5.23",
    decoder: Some(DecoderType::Gemma),
    // Sizes and options.
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
    fixtures: &["gemma.jsonl"],
    published: &[("gemma-2b", 2_506_172_416)],
    ..LLAMA
};
