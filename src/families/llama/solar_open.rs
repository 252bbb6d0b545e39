//! `solar_open` (`models/solar_open, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `solar_open`.
pub(crate) const SOLAR_OPEN: Family = Family {
    model_types: &["solar_open"],
    source: "models/solar_open, transformers 5.23",
    decoder: Some(DecoderType::SolarOpen),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    fixtures: &["newest_decoders.jsonl"],
    published: &[("solar-open-100b", 102_651_793_408)],
    ..LLAMA
};
