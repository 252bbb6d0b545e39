//! `helium` (`models/helium, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family, NormKind, Parts, Style, Turn};

/// `helium`.
pub(crate) const HELIUM: Family = Family {
    model_types: &["helium"],
    source: "models/helium, transformers 5.23",
    decoder: Some(DecoderType::Helium),
    // Sizes and options.
    // Names.
    // Parts.
    style: Style {
        norm: NormKind::WidenedRoot,
        ..Style::LLAMA
    },
    layers: Parts {
        turn: Turn::Pairs,
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V451,
    // Support.
    fixtures: &["olmo_glm_helium.jsonl"],
    published: &[("helium-1-2b", 2_172_643_840)],
    ..LLAMA
};
