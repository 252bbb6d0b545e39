//! `arcee` (`models/arcee, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{
    Biases, Family, LayerNames, MlpFunction, MlpNames, Options, Proof, Reader, Sizes,
};

/// `arcee`.
pub(crate) const ARCEE: Family = Family {
    model_types: &["arcee"],
    source: "models/arcee, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(kin::read),
    sizes: Sizes {
        hidden: 2560,
        inner: 18_432,
        ..LLAMA.sizes
    },
    options: Options {
        biases: Biases::ATTENTION_AND_MLP,
        function: MlpFunction::Named("hidden_act", "relu2"),
        ..Options::PLAIN
    },
    // Names.
    names: LayerNames {
        mlp: MlpNames::Plain(["up_proj", "down_proj"]),
        ..LayerNames::LLAMA
    },
    // Parts.
    // Programs.
    since: crate::model::Since::V5,
    // Support.
    liger: None,
    tensor_plan: crate::model::PLAIN_MLP_PLAN,
    fixtures: Proof::of(&["smollm3_exaone4_seed_oss.jsonl"]),
    published: Proof::of(&[("afm-4.5b", 4_619_184_640)]),
    ..LLAMA
};
