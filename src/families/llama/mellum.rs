//! `mellum` (`models/mellum, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family, HeadNorm, Masks, NormKind, Parts, Style};

/// `mellum`.
pub(crate) const MELLUM: Family = Family {
    model_types: &["mellum"],
    source: "models/mellum, transformers 5.23",
    decoder: Some(DecoderType::Mellum),
    // Sizes and options.
    // Names.
    // Parts.
    style: Style {
        local_rotary: true,
        masks: Masks::Both,
        only_needed_masks: true,
        ..Style::LLAMA
    },
    layers: Parts {
        head_norm: HeadNorm::Rows(NormKind::Root),
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    fixtures: &["further_decoders.jsonl"],
    published: &[],
    ..LLAMA
};
