//! `minicpm3` (`models/minicpm3, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, EmbeddingScale, Family, Parts, Style};

/// `minicpm3`.
pub(crate) const MINICPM3: Family = Family {
    model_types: &["minicpm3"],
    source: "models/minicpm3, transformers 5.23",
    decoder: Some(DecoderType::MiniCpm3),
    // Sizes and options.
    // Names.
    // Parts.
    style: Style {
        embedding_scale: EmbeddingScale::Buffer,
        scaled_hidden: true,
        ..Style::LLAMA
    },
    layers: Parts {
        multiplied: true,
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    // Support.
    fixtures: &["further_decoders.jsonl"],
    published: &[("minicpm3-4b", 4_073_875_968)],
    ..LLAMA
};
