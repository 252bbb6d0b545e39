//! `glm` (`models/glm, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `glm`.
pub(crate) const GLM: Family = Family {
    model_types: &["glm"],
    source: "models/glm, transformers 5.23",
    decoder: Some(DecoderType::Glm),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: None,
    fixtures: &["olmo_glm_helium.jsonl"],
    published: &[("glm-4-9b", 9_399_951_360)],
    ..LLAMA
};
