//! `diffllama` (`models/diffllama, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{AttentionKind, DecoderType, Family, Parts};

/// `diffllama`.
pub(crate) const DIFFLLAMA: Family = Family {
    model_types: &["diffllama"],
    source: "models/diffllama, transformers 5.23",
    decoder: Some(DecoderType::DiffLlama),
    // Sizes and options.
    // Names.
    // Parts.
    layers: Parts {
        attention: AttentionKind::Differential,
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    // Support.
    fixtures: &["diffllama.jsonl"],
    published: &[],
    ..LLAMA
};
