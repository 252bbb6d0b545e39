//! `jais2` (`models/jais2, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{
    Biases, Family, Flag, LayerNames, MlpFunction, MlpNames, NormKind, Options, Proof, Reader,
    Sizes, Style,
};

/// `jais2`.
pub(crate) const JAIS2: Family = Family {
    model_types: &["jais2"],
    source: "models/jais2, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(kin::read),
    sizes: Sizes {
        hidden: 3328,
        inner: 26_624,
        heads: 26,
        vocabulary: 150_272,
        ..LLAMA.sizes
    },
    options: Options {
        biases: Biases {
            mlp: Flag::Said("mlp_bias", true),
            ..Biases::attention(Flag::Said("attention_bias", true))
        },
        function: MlpFunction::Named("hidden_act", "relu2"),
        ..Options::PLAIN
    },
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
    liger: None,
    tensor_plan: crate::model::PLAIN_MLP_PLAN,
    fixtures: Proof::of(&["newest_decoders.jsonl"]),
    published: Proof::of(&[("jais-2-8b", 8_090_401_280)]),
    ..LLAMA
};
