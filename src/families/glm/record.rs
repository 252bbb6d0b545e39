//! `glm` (`models/glm, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family, LayerNames, MlpNames, Parts, Turn};

/// `glm`.
pub(crate) const GLM: Family = Family {
    model_types: &["glm"],
    source: "models/glm, transformers 5.23",
    decoder: Some(DecoderType::Glm),
    // Sizes and options.
    // Names.
    names: LayerNames {
        mlp: MlpNames::Fused {
            names: ["gate_up_proj", "down_proj"],
            gate_first: false,
        },
        ..LayerNames::LLAMA
    },
    // Parts.
    layers: Parts {
        turn: Turn::PartPairs,
        ..Parts::LLAMA
    },
    // Programs.
    generation: crate::model::Generation {
        special_tokens: 0,
        ..crate::model::Generation::DECODER
    },
    // Support.
    fixtures: &["olmo_glm_helium.jsonl"],
    published: &[("glm-4-9b", 9_399_951_360)],
    ..LLAMA
};
