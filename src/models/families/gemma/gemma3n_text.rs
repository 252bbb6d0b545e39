//! `gemma3n_text` (`models/gemma3n, transformers 5.23`).

use super::{gemma3n_reader as own, reader};
use crate::families::llama::LLAMA;
use crate::model::{
    Activation, ConfigFields, DecoderConfig, EmbeddingScale, Family, Flag, HeadDim, LayerNames,
    Masks, MlpFunction, NormKind, Options, Proof, Reader, Sizes, Style, Window, WindowLayers,
    WindowOn,
};

/// `gemma3n_text`.
pub(crate) const GEMMA3N_TEXT: Family = Family {
    model_types: &["gemma3n_text"],
    source: "models/gemma3n, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(read),
    sizes: Sizes {
        hidden: 2048,
        inner: 16_384,
        layers: 35,
        heads: 8,
        vocabulary: 262_400,
        kv_heads: Some(2),
        head_dim: HeadDim::Of(256),
        ..LLAMA.sizes
    },
    options: Options {
        tied: true,
        function: MlpFunction::Fixed("hidden_activation", &[], Activation::Gelu),
        final_softcap: Flag::UnlessNull("final_logit_softcapping"),
        ..Options::PLAIN
    },
    window: Window {
        on: WindowOn::Always,
        layers: WindowLayers::BetweenEvery(None, 5),
        width: 512,
        ..Window::NONE
    },
    // Names.
    names: LayerNames {
        norms: [
            Some("input_layernorm"),
            Some("post_attention_layernorm"),
            Some("pre_feedforward_layernorm"),
            Some("post_feedforward_layernorm"),
        ],
        ..LayerNames::LLAMA
    },
    // Parts.
    style: Style {
        norm: NormKind::Power,
        embedding_scale: EmbeddingScale::Buffer,
        masks: Masks::Both,
        local_rotary: true,
        ..Style::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    liger: None,
    adapter_support: crate::model::AdapterSupport::SCALED_TABLE,
    fixtures: Proof::of(&["gemma3n.jsonl"]),
    published: Proof::of(&[
        ("gemma-3n-e2b", 4_435_182_688),
        ("gemma-3n-e4b", 6_835_235_568),
    ]),
    ..LLAMA
};

/// Its layers share keys and values, and have streams of hidden states beside each other.
fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let mut config = reader::read(family, fields);
    config.gemma_layers = Some(own::layers(
        config.head_dim,
        config.num_key_value_heads,
        &config.windowed,
        fields,
    ));
    config.altup = Some(own::streams(config.windowed.len(), fields));
    config
}
