//! `persimmon` (`models/persimmon, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{
    Activation, Biases, Dropout, DropoutFields, Family, Flag, HeadNorm, Holds, LayerNames,
    MlpFunction, MlpNames, NormKind, Options, Parts, Proof, Reader, RotaryColumns, RotaryKind,
    Sizes, Style,
};

/// `persimmon`.
pub(crate) const PERSIMMON: Family = Family {
    model_types: &["persimmon"],
    source: "models/persimmon, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(kin::read),
    sizes: Sizes {
        inner: 16_384,
        layers: 36,
        heads: 64,
        vocabulary: 262_144,
        ..LLAMA.sizes
    },
    options: Options {
        biases: Biases::all(Flag::Always),
        head_norms: Flag::Said("qk_layernorm", true),
        function: MlpFunction::Fixed("hidden_act", &["relu2"], Activation::Relu2),
        rotary_columns: RotaryColumns::Share("partial_rotary_factor", 500),
        dropout: DropoutFields {
            residual: Some(("hidden_dropout", false)),
            modules: Dropout::BESIDE_ATTENTION,
            ..DropoutFields::ATTENTION
        },
        ..Options::PLAIN
    },
    // Names.
    names: LayerNames {
        head_norms: ["q_layernorm", "k_layernorm"],
        attention_output: "dense",
        last_norm: "final_layernorm",
        projections: &["query_key_value"],
        mlp: MlpNames::Plain(["dense_h_to_4h", "dense_4h_to_h"]),
        ..LayerNames::LLAMA
    },
    // Parts.
    style: Style {
        norm: NormKind::Layer,
        ..Style::LLAMA
    },
    layers: Parts {
        rotary_kind: RotaryKind::Part,
        holds: Holds::Rotated,
        ..Parts::LLAMA
    },
    put_together: |c, _, _, parts| {
        parts.head_norm = HeadNorm::Rows(NormKind::Layer).when(c.head_norms);
    },
    // Programs.
    since: crate::model::Since::V5,
    // Support.
    liger: None,
    tensor_plan: &[],
    groups_head: false,
    fixtures: Proof::of(&["further_decoders.jsonl"]),
    published: Proof::of(&[("persimmon-8b", 9_397_175_296)]),
    ..LLAMA
};
