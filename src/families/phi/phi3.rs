//! `phi3` (`models/phi3, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family, MaskingIn4, Style};

/// `phi3`.
pub(crate) const PHI3: Family = Family {
    model_types: &["phi3"],
    source: "models/phi3, transformers 5.23",
    decoder: Some(DecoderType::Phi3),
    // Sizes and options.
    // Names.
    // Parts.
    style: Style {
        masking_in_4: MaskingIn4::Compared,
        ..Style::LLAMA
    },
    // Programs.
    // Support.
    fixtures: &["phi3.jsonl"],
    published: &[("phi-3-mini", 3_821_079_552)],
    ..LLAMA
};
