//! `olmo2` (`models/olmo2, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `olmo2`.
pub(crate) const OLMO2: Family = Family {
    model_types: &["olmo2"],
    source: "models/olmo2, transformers 5.23",
    decoder: Some(DecoderType::Olmo2),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: Some(crate::model::LigerSupport {
        norms_in_place: false,
        ..crate::model::LigerSupport::SWIGLU
    }),
    fixtures: &["olmo2.jsonl"],
    published: &[("olmo-2-1b", 1_484_916_736)],
    ..LLAMA
};
