//! `glm` (`models/glm, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{
    Biases, Family, Flag, HeadDim, LayerNames, MlpNames, Options, Parts, Proof, Reader,
    RotaryColumns, RotaryKind, Sizes,
};

/// `glm`.
pub(crate) const GLM: Family = Family {
    model_types: &["glm"],
    source: "models/glm, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(kin::read),
    sizes: Sizes {
        inner: 13_696,
        layers: 40,
        vocabulary: 151_552,
        kv_heads: Some(2),
        head_dim: HeadDim::Of(128),
        ..LLAMA.sizes
    },
    options: Options {
        biases: Biases::qkv(Flag::Said("attention_bias", true)),
        rotary_columns: RotaryColumns::Share("partial_rotary_factor", 500),
        ..Options::PLAIN
    },
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
        rotary_kind: RotaryKind::PartPairs,
        ..Parts::LLAMA
    },
    // Programs.
    generation: crate::model::Generation {
        special_tokens: 0,
        ..crate::model::Generation::DECODER
    },
    // Support.
    liger: None,
    tensor_plan: crate::model::FUSED_MLP_PLAN,
    fixtures: Proof::of(&["olmo_glm_helium.jsonl"]),
    published: Proof::of(&[("glm-4-9b", 9_399_951_360)]),
    ..LLAMA
};
