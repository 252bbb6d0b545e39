//! `apertus` (`models/apertus, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family, HeadNorm, LayerNames, MlpNames, NormKind, Parts};

/// `apertus`.
pub(crate) const APERTUS: Family = Family {
    model_types: &["apertus"],
    source: "models/apertus, transformers 5.23",
    decoder: Some(DecoderType::Apertus),
    // Sizes and options.
    // Names.
    names: LayerNames {
        norms: [
            Some("attention_layernorm"),
            None,
            Some("feedforward_layernorm"),
            None,
        ],
        mlp: MlpNames::Xielu(["up_proj", "down_proj"]),
        ..LayerNames::LLAMA
    },
    // Parts.
    layers: Parts {
        head_norm: HeadNorm::Heads(NormKind::Root),
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    fixtures: &["newest_decoders.jsonl"],
    published: &[("apertus-8b", 8_053_338_176)],
    ..LLAMA
};
