//! `gemma3_text` (`models/gemma3, transformers 5.23`).

use super::reader;
use crate::families::llama::LLAMA;
use crate::model::{
    Activation, EmbeddingScale, Family, HeadDim, HeadNorm, LayerNames, Masks, MlpFunction,
    NormKind, Options, Parts, Proof, Reader, Sizes, Style, Window, WindowLayers, WindowOn,
};

/// `gemma3_text`.
pub(crate) const GEMMA3_TEXT: Family = Family {
    model_types: &["gemma3_text"],
    source: "models/gemma3, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(reader::read),
    sizes: Sizes {
        hidden: 2304,
        inner: 9216,
        layers: 26,
        heads: 8,
        vocabulary: 262_208,
        kv_heads: Some(4),
        head_dim: HeadDim::Of(256),
        ..LLAMA.sizes
    },
    options: Options {
        tied: true,
        function: MlpFunction::Fixed("hidden_activation", &[], Activation::Gelu),
        ..Options::PLAIN
    },
    window: Window {
        on: WindowOn::UnlessNull,
        layers: WindowLayers::BetweenEvery(Some("sliding_window_pattern"), 6),
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
        norm: NormKind::OnePlusRoot,
        embedding_scale: EmbeddingScale::Buffer,
        masks: Masks::Both,
        masks_in_4: Masks::Narrowed,
        local_rotary: true,
        ..Style::LLAMA
    },
    layers: Parts {
        head_norm: HeadNorm::Heads(NormKind::OnePlusRoot),
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V451,
    later_tasks: &[(
        crate::ask::Task::SequenceClassification,
        crate::model::Since::V5,
    )],
    generation: crate::model::Generation {
        caches_in_4: [crate::model::CacheIn4::Places; 2],
        ..crate::model::Generation::DECODER
    },
    // Support.
    liger: Some(crate::model::LigerSupport {
        norms_in_place: false,
        ..crate::model::LigerSupport::GEGLU
    }),
    adapter_support: crate::model::AdapterSupport::SCALED_TABLE,
    fixtures: Proof::of(&["gemma.jsonl"]),
    published: Proof::of(&[("gemma-3-270m", 268_098_176), ("gemma-3-1b", 999_885_952)]),
    ..LLAMA
};
