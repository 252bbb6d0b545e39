//! `gemma2` (`models/gemma2, transformers 5.23`).

use super::reader;
use crate::families::llama::LLAMA;
use crate::model::{
    Activation, EmbeddingScale, Family, Flag, HeadDim, LayerNames, Masks, MlpFunction, NormKind,
    Options, Proof, Reader, Sizes, Style, Transformers, Window, WindowLayers, WindowOn,
};

/// `gemma2`.
pub(crate) const GEMMA2: Family = Family {
    model_types: &["gemma2"],
    source: "models/gemma2, transformers 5.23",
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
        ..Style::LLAMA
    },
    put_together: |_, version, style, _| {
        if version != Transformers::V5 {
            style.embedding_scale = EmbeddingScale::Late;
        }
    },
    // Programs.
    generation: crate::model::Generation {
        caches: crate::model::Since::V451,
        caches_in_4: [crate::model::CacheIn4::Places; 2],
        ..crate::model::Generation::DECODER
    },
    // Support.
    liger: Some(crate::model::LigerSupport {
        norms_in_place: false,
        ..crate::model::LigerSupport::GEGLU
    }),
    attention_support: crate::model::AttentionSupport {
        eager_only: crate::model::Versions::Since5,
        ..crate::model::AttentionSupport::ALL
    },
    adapter_support: crate::model::AdapterSupport::SCALED_TABLE,
    fixtures: Proof::of(&["gemma.jsonl"]),
    published: Proof::of(&[
        ("gemma-2-27b", 27_227_128_320),
        ("gemma-2-9b", 9_241_705_984),
        ("gemma-2-2b", 2_614_341_888),
    ]),
    ..LLAMA
};
