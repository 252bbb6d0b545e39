//! `ernie4_5_moe` (`models/ernie4_5_moe, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{
    Biases, DropoutFields, ExpertRule, Family, Flag, Options, Parts, Proof, Reader, RotaryKind,
    Routing, SharedForm, SharedWidth, Sizes, SparseLayers, Style,
};

/// `ernie4_5_moe`.
pub(crate) const ERNIE4_5_MOE: Family = Family {
    model_types: &["ernie4_5_moe"],
    source: "models/ernie4_5_moe, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(kin::read),
    sizes: Sizes {
        hidden: 2560,
        inner: 12_288,
        layers: 28,
        heads: 20,
        vocabulary: 103_424,
        kv_heads: Some(4),
        ..LLAMA.sizes
    },
    options: Options {
        tied: true,
        biases: Biases::all(Flag::Said("use_bias", false)),
        head_bias: Flag::Said("use_bias", false),
        dropout: DropoutFields::NONE,
        ..Options::PLAIN
    },
    experts: Some(ExpertRule {
        count: (&["moe_num_experts", "num_experts"], 64),
        per_token: 6,
        width: Some(1536),
        shared: SharedWidth::TimesOrNone("moe_num_shared_experts", 2),
        shared_form: SharedForm::First,
        routing: Routing::Static,
        layers: SparseLayers::Between,
        ..ExpertRule::PLAIN
    }),
    // Names.
    // Parts.
    style: Style {
        wide_rotary: true,
        ..Style::LLAMA
    },
    layers: Parts {
        rotary_kind: RotaryKind::WideNeighbours,
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    liger: None,
    adapter_support: crate::model::AdapterSupport::EXPERTS_OF_LAYERS,
    tensor_plan: crate::model::SHARED_EXPERTS_PLAN,
    fixtures: Proof::of(&["hunyuan_ernie_moe.jsonl"]),
    published: Proof::of(&[("ernie-4.5-21b-a3b", 21_825_437_888)]),
    ..LLAMA
};
