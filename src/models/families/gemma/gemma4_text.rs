//! `gemma4_text` (`models/gemma4, transformers 5.23`).

use super::{layers, reader};
use crate::families::llama::LLAMA;
use crate::model::{
    Activation, ConfigFields, DecoderConfig, EmbeddingScale, Family, Flag, HeadDim, LayerNames,
    Masks, MlpFunction, NormKind, Options, Proof, Reader, Sizes, Style, Window, WindowLayers,
    WindowOn,
};

/// `gemma4_text`.
pub(crate) const GEMMA4_TEXT: Family = Family {
    model_types: &["gemma4_text"],
    source: "models/gemma4, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(read),
    sizes: Sizes {
        hidden: 2304,
        inner: 9216,
        layers: 30,
        heads: 8,
        vocabulary: 262_144,
        kv_heads: Some(4),
        head_dim: HeadDim::Of(256),
        ..LLAMA.sizes
    },
    options: Options {
        tied: true,
        function: MlpFunction::Fixed("hidden_activation", &[], Activation::Gelu),
        final_softcap: Flag::Given("final_logit_softcapping"),
        ..Options::PLAIN
    },
    window: Window {
        on: WindowOn::Always,
        layers: WindowLayers::BetweenEvery(None, 6),
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
    tensor_plan: &[],
    divides_experts: false,
    fixtures: Proof::of(&["gemma4.jsonl"]),
    published: Proof::of(&[
        ("gemma-4-e2b", 4_628_569_344),
        ("gemma-4-26b-a4b", 25_233_141_760),
        ("gemma-4-31b", 30_697_345_280),
    ]),
    ..LLAMA
};

/// Its layers differ in size and share keys and values, and can have experts beside their MLPs.
fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let mut config = reader::read(family, fields);
    if let Some(last) = config.windowed.last_mut() {
        // Whatever `layer_types` says.
        *last = false;
    }
    config.experts = layers::experts(config.num_hidden_layers, fields);
    config.gemma_layers = Some(layers::read(
        config.num_attention_heads,
        config.num_key_value_heads,
        &config.windowed,
        fields,
    ));
    config
}
