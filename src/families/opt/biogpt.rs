//! `biogpt` (`models/biogpt, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family, LayerNames};

/// `biogpt`.
pub(crate) const BIOGPT: Family = Family {
    model_types: &["biogpt"],
    source: "models/biogpt, transformers 5.23",
    decoder: Some(DecoderType::BioGpt),
    // Sizes and options.
    // Names.
    names: LayerNames {
        head: "output_projection",
        head_in_4: "output_projection",
        ..LayerNames::LLAMA
    },
    // Parts.
    // Programs.
    since: crate::model::Since::V5,
    // Support.
    fixtures: &["further_decoders.jsonl"],
    published: &[("biogpt", 346_763_264)],
    ..LLAMA
};
