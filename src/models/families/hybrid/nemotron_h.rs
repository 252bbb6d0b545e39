//! `nemotron_h` (`models/nemotron_h, transformers 5.23`).

use super::nemotron_h_reader;
use crate::families::llama::LLAMA;
use crate::model::{
    Biases, Family, Flag, HeadDim, LayerNames, MlpFunction, MlpNames, NormKind, Options, Piece,
    Proof, Reader, RotaryColumns, Sizes, Style,
};

/// `nemotron_h`.
pub(crate) const NEMOTRON_H: Family = Family {
    model_types: &["nemotron_h"],
    source: "models/nemotron_h, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(nemotron_h_reader::read),
    sizes: Sizes {
        inner: 21_504,
        layers: 4,
        vocabulary: 131_072,
        kv_heads: Some(8),
        head_dim: HeadDim::Of(128),
        ..LLAMA.sizes
    },
    options: Options {
        layers_listed: true,
        biases: Biases {
            mlp: Flag::MLP_BIAS,
            ..Biases::NONE
        },
        rotary_columns: RotaryColumns::None,
        function: MlpFunction::Named("mlp_hidden_act", "relu2"),
        ..Options::PLAIN
    },
    // Names.
    names: LayerNames {
        embedding: "embeddings",
        cast_back: ["embeddings", "lm_head"],
        last_norm: "norm_f",
        norms: [Some("norm"), None, None, None],
        mlp: MlpNames::Plain(["up_proj", "down_proj"]),
        block: "mixer",
        attention: "mixer",
        mixer: "mixer",
        order: [Piece::Norms, Piece::Mixer, Piece::Mlp, Piece::Beside],
        alone: true,
        ..LayerNames::LLAMA
    },
    // Parts.
    style: Style {
        norm: NormKind::WidenedRoot,
        wide_logits: true,
        looks_for_padding: true,
        ..Style::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    liger: None,
    adapter_support: crate::model::AdapterSupport::WITHOUT_OUT_PROJ,
    tensor_plan: &[],
    groups_head: false,
    fixtures: Proof::of(&["nemotron_h.jsonl"]),
    published: Proof::of(&[
        ("nemotron-3-super-120b-a12b", 120_668_687_360),
        ("nemotron-h-8b", 8_100_852_736),
        ("nemotron-nano-9b-v2", 8_888_227_328),
        ("nemotron-3-nano-30b-a3b", 31_577_937_344),
    ]),
    ..LLAMA
};
