//! `cohere` (`models/cohere, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family, HeadNorm, NormKind, Parts, Style, Turn};

/// `cohere`.
pub(crate) const COHERE: Family = Family {
    model_types: &["cohere"],
    source: "models/cohere, transformers 5.23",
    decoder: Some(DecoderType::Cohere),
    // Sizes and options.
    // Names.
    // Parts.
    style: Style {
        norm: NormKind::WideLayer,
        scaled_logits: true,
        ..Style::LLAMA
    },
    layers: Parts {
        turn: Turn::WidePairs,
        ..Parts::LLAMA
    },
    put_together: |c, _, _, parts| parts.head_norm = HeadNorm::Each.when(c.head_norms),
    // Programs.
    tasks: crate::model::CAUSAL_LM,
    // Support.
    fixtures: &["cohere_stablelm.jsonl"],
    published: &[
        ("command-r-35b", 34_980_831_232),
        ("aya-23-8b", 8_028_033_024),
    ],
    ..LLAMA
};
