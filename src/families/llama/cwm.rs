//! `cwm` (`models/cwm, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family, Masks, Style};

/// `cwm`.
pub(crate) const CWM: Family = Family {
    model_types: &["cwm"],
    source: "models/cwm, transformers 5.23",
    decoder: Some(DecoderType::Cwm),
    // Sizes and options.
    // Names.
    // Parts.
    style: Style {
        masks: Masks::Both,
        ..Style::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    fixtures: &["newest_decoders.jsonl"],
    published: &[("cwm-32b", 32_581_097_472)],
    ..LLAMA
};
