//! `jais2` (`models/jais2, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family, LayerNames, MlpNames, NormKind, Style};

/// `jais2`.
pub(crate) const JAIS2: Family = Family {
    model_types: &["jais2"],
    source: "models/jais2, transformers 5.23",
    decoder: Some(DecoderType::Jais2),
    // Sizes and options.
    // Names.
    names: LayerNames {
        mlp: MlpNames::Plain(["up_proj", "down_proj"]),
        ..LayerNames::LLAMA
    },
    // Parts.
    style: Style {
        norm: NormKind::Layer,
        ..Style::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    fixtures: &["newest_decoders.jsonl"],
    published: &[("jais-2-8b", 8_090_401_280)],
    ..LLAMA
};
