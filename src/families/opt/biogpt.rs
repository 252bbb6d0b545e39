//! `biogpt` (`models/biogpt, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `biogpt`.
pub(crate) const BIOGPT: Family = Family {
    model_types: &["biogpt"],
    source: "models/biogpt, transformers 5.23",
    decoder: Some(DecoderType::BioGpt),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: None,
    fixtures: &["further_decoders.jsonl"],
    published: &[("biogpt", 346_763_264)],
    ..LLAMA
};
