//! `glm4` (`models/glm4, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{
    Biases, Family, Flag, HeadDim, LayerNames, MlpNames, Options, Parts, Proof, Reader,
    RotaryColumns, RotaryKind, Sizes,
};

/// `glm4`.
pub(crate) const GLM4: Family = Family {
    model_types: &["glm4"],
    source: "models/glm4, transformers 5.23",
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
        norms: [
            Some("input_layernorm"),
            Some("post_self_attn_layernorm"),
            Some("post_attention_layernorm"),
            Some("post_mlp_layernorm"),
        ],
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
    since: crate::model::Since::V451,
    generation: crate::model::Generation {
        special_tokens: 0,
        ..crate::model::Generation::DECODER
    },
    // Support.
    liger: Some(crate::model::LigerSupport {
        lacks: Some(crate::ask::LigerKernel::Rope),
        norms_in_place: false,
        ..crate::model::LigerSupport::SWIGLU_SINCE_5
    }),
    tensor_plan: crate::model::FUSED_MLP_PLAN,
    fixtures: Proof::of(&["olmo_glm_helium.jsonl"]),
    published: Proof::of(&[
        ("glm-4-32b-0414", 32_566_081_536),
        ("glm-4.6v-flash", 9_400_279_040),
        ("glm-4-9b-0414", 9_400_279_040),
    ]),
    ..LLAMA
};
