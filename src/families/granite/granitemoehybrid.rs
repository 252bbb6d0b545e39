//! `granitemoehybrid` (`models/granitemoehybrid, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `granitemoehybrid`.
pub(crate) const GRANITEMOEHYBRID: Family = Family {
    model_types: &["granitemoehybrid"],
    source: "models/granitemoehybrid, transformers 5.23",
    decoder: Some(DecoderType::GraniteMoeHybrid),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: None,
    plain_logits: false,
    fixtures: &["granite_hybrid.jsonl"],
    published: &[("granite-4.0-h-tiny", 6_939_037_248)],
    ..LLAMA
};
