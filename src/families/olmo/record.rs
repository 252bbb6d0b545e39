//! `olmo` (`models/olmo, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `olmo`.
pub(crate) const OLMO: Family = Family {
    model_types: &["olmo"],
    source: "models/olmo, transformers 5.23",
    decoder: Some(DecoderType::Olmo),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: None,
    quantized_support: crate::model::QuantizedSupport {
        whole_last: crate::model::Versions::Since5,
        ..crate::model::QuantizedSupport::USUAL
    },
    fixtures: &["olmo_glm_helium.jsonl"],
    published: &[("olmo-1b", 1_176_764_416), ("olmo-7b", 6_888_095_744)],
    ..LLAMA
};
