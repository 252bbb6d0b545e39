//! `glm4` (`models/glm4, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `glm4`.
pub(crate) const GLM4: Family = Family {
    model_types: &["glm4"],
    source: "models/glm4, transformers 5.23",
    decoder: Some(DecoderType::Glm4),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: Some(crate::model::LigerSupport {
        lacks: Some(crate::ask::LigerKernel::Rope),
        norms_in_place: false,
        ..crate::model::LigerSupport::SWIGLU_SINCE_5
    }),
    fixtures: &["olmo_glm_helium.jsonl"],
    published: &[("glm-4-9b-0414", 9_400_279_040)],
    ..LLAMA
};
