//! `vaultgemma` (`models/vaultgemma, transformers 5.23`).

use super::reader;
use crate::families::llama::LLAMA;
use crate::model::{
    Activation, EmbeddingScale, Family, Flag, HeadDim, LayerNames, Masks, MlpFunction, NormKind,
    Options, Proof, Reader, Sizes, Style, Window, WindowLayers, WindowOn,
};

/// `vaultgemma`.
pub(crate) const VAULTGEMMA: Family = Family {
    model_types: &["vaultgemma"],
    source: "models/vaultgemma, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(reader::read),
    sizes: Sizes {
        hidden: 2304,
        inner: 9216,
        layers: 26,
        heads: 8,
        vocabulary: 256_000,
        kv_heads: Some(4),
        head_dim: HeadDim::Of(256),
        ..LLAMA.sizes
    },
    options: Options {
        tied: true,
        function: MlpFunction::Fixed("hidden_activation", &[], Activation::Gelu),
        attention_softcap: Flag::UnlessNull("attn_logit_softcapping"),
        final_softcap: Flag::UnlessNull("final_logit_softcapping"),
        ..Options::PLAIN
    },
    window: Window {
        on: WindowOn::UnlessNull,
        layers: WindowLayers::BetweenEvery(None, 2),
        ..Window::NONE
    },
    // Names.
    names: LayerNames {
        norms: [
            Some("input_layernorm"),
            None,
            Some("pre_feedforward_layernorm"),
            None,
        ],
        ..LayerNames::LLAMA
    },
    // Parts.
    style: Style {
        norm: NormKind::OnePlusRoot,
        embedding_scale: EmbeddingScale::Buffer,
        masks: Masks::Both,
        ..Style::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    liger: None,
    attention_support: crate::model::AttentionSupport::EAGER,
    adapter_support: crate::model::AdapterSupport::SCALED_TABLE,
    fixtures: Proof::of(&["newest_decoders.jsonl"]),
    published: Proof::NONE,
    ..LLAMA
};
