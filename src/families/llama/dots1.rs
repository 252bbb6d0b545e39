//! `dots1` (`models/dots1, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family, HeadNorm, Masks, NormKind, Parts, Style};

/// `dots1`.
pub(crate) const DOTS1: Family = Family {
    model_types: &["dots1"],
    source: "models/dots1, transformers 5.23",
    decoder: Some(DecoderType::Dots1),
    // Sizes and options.
    // Names.
    // Parts.
    style: Style {
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
    generation: crate::model::Generation {
        special_tokens: 0,
        ..crate::model::Generation::DECODER
    },
    // Support.
    fixtures: &["mixtures.jsonl"],
    published: &[],
    ..LLAMA
};
