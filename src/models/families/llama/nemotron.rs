//! `nemotron` (`models/nemotron, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{
    Biases, Family, LayerNames, MlpFunction, MlpNames, NormKind, Options, Parts, Proof, Reader,
    RotaryColumns, RotaryKind, Sizes, Style,
};

/// `nemotron`.
pub(crate) const NEMOTRON: Family = Family {
    model_types: &["nemotron"],
    source: "models/nemotron, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(kin::read),
    sizes: Sizes {
        hidden: 6144,
        inner: 24_576,
        heads: 48,
        vocabulary: 256_000,
        ..LLAMA.sizes
    },
    options: Options {
        biases: Biases::ATTENTION_AND_MLP,
        function: MlpFunction::Named("hidden_act", "relu2"),
        rotary_columns: RotaryColumns::Share("partial_rotary_factor", 500),
        ..Options::PLAIN
    },
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
        rotary_kind: RotaryKind::Part,
        forgets_weights_in_4: true,
        ..Parts::LLAMA
    },
    // Programs.
    // Support.
    liger: None,
    tensor_plan: crate::model::PLAIN_MLP_PLAN,
    groups_head: false,
    fixtures: Proof::of(&["nemotron.jsonl"]),
    published: Proof::of(&[("minitron-4b", 4_190_509_056)]),
    ..LLAMA
};
