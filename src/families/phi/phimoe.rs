//! `phimoe` (`models/phimoe, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family, LayerNames, NormKind, Style};

/// `phimoe`.
pub(crate) const PHIMOE: Family = Family {
    model_types: &["phimoe"],
    source: "models/phimoe, transformers 5.23",
    decoder: Some(DecoderType::PhiMoe),
    // Sizes and options.
    // Names.
    names: LayerNames {
        router: "router",
        numbered_in_4: true,
        ..LayerNames::LLAMA
    },
    // Parts.
    style: Style {
        norm: NormKind::Layer,
        remade_rotary: true,
        ..Style::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    // Support.
    fixtures: &["phimoe.jsonl"],
    published: &[("phi-3.5-moe", 41_873_153_344)],
    ..LLAMA
};
