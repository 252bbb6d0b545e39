//! `olmo3` (`models/olmo3, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `olmo3`.
pub(crate) const OLMO3: Family = Family {
    model_types: &["olmo3"],
    source: "models/olmo3, transformers 5.23",
    decoder: Some(DecoderType::Olmo3),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: Some(crate::model::LigerSupport {
        norms_in_place: false,
        ..crate::model::LigerSupport::SWIGLU_SINCE_5
    }),
    fixtures: &["olmo_glm_helium.jsonl"],
    published: &[("olmo-3-7b", 7_298_011_136)],
    ..LLAMA
};
