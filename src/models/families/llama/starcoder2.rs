//! `starcoder2` (`models/starcoder2, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{
    Biases, DropoutFields, Family, Flag, LayerNames, MaskingIn4, MlpFunction, MlpNames, NormKind,
    Options, Parts, Proof, Reader, Sizes, Style, Transformers, Window, WindowLayers, WindowOn,
};

/// `starcoder2`.
pub(crate) const STARCODER2: Family = Family {
    model_types: &["starcoder2"],
    source: "models/starcoder2, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(kin::read),
    sizes: Sizes {
        hidden: 3072,
        inner: 12_288,
        layers: 30,
        heads: 24,
        vocabulary: 49_152,
        kv_heads: Some(2),
        ..LLAMA.sizes
    },
    options: Options {
        tied: true,
        biases: Biases::all(Flag::Said("use_bias", true)),
        function: MlpFunction::Named("hidden_act", "gelu_pytorch_tanh"),
        dropout: DropoutFields {
            embedding: Some(("embedding_dropout", false)),
            residual: Some(("residual_dropout", false)),
            ..DropoutFields::ATTENTION
        },
        ..Options::PLAIN
    },
    window: Window {
        on: WindowOn::Given,
        layers: WindowLayers::All,
        ..Window::NONE
    },
    // Names.
    names: LayerNames {
        mlp: MlpNames::Plain(["c_fc", "c_proj"]),
        ..LayerNames::LLAMA
    },
    // Parts.
    style: Style {
        norm: NormKind::Layer,
        masking_in_4: MaskingIn4::Compared,
        ..Style::LLAMA
    },
    layers: Parts {
        drops_attended: true,
        ..Parts::LLAMA
    },
    put_together: |_, version, style, _| {
        // transformers 4 runs the layers without looking at `gradient_checkpointing`.
        style.checkpoints = version == Transformers::V5;
    },
    // Programs.
    // Support.
    liger: None,
    attention_support: crate::model::AttentionSupport {
        check: Some(super::support::check_starcoder2),
        ..crate::model::AttentionSupport::ALL
    },
    tensor_plan: &[],
    fixtures: Proof::of(&["starcoder2_granite.jsonl"]),
    published: Proof::of(&[
        ("starcoder2-3b", 3_030_371_328),
        ("starcoder2-7b", 7_173_923_840),
        ("starcoder2-15b", 15_957_889_024),
    ]),
    ..LLAMA
};
