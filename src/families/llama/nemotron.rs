//! `nemotron` (`models/nemotron, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family, LayerNames, MlpNames, NormKind, Parts, Style, Turn};

/// `nemotron`.
pub(crate) const NEMOTRON: Family = Family {
    model_types: &["nemotron"],
    source: "models/nemotron, transformers 5.23",
    decoder: Some(DecoderType::Nemotron),
    // Sizes and options.
    // Names.
    names: LayerNames {
        mlp: MlpNames::Plain(["up_proj", "down_proj"]),
        ..LayerNames::LLAMA
    },
    // Parts.
    style: Style {
        norm: NormKind::OnePlusLayer,
        ..Style::LLAMA
    },
    layers: Parts {
        turn: Turn::Part,
        forgets_weights_in_4: true,
        ..Parts::LLAMA
    },
    // Programs.
    // Support.
    fixtures: &["nemotron.jsonl"],
    published: &[("minitron-4b", 4_190_509_056)],
    ..LLAMA
};
