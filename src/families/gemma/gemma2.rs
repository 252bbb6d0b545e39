//! `gemma2` (`models/gemma2, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{
    DecoderType, EmbeddingScale, Family, LayerNames, Masks, NormKind, Style, Transformers,
};

/// `gemma2`.
pub(crate) const GEMMA2: Family = Family {
    model_types: &["gemma2"],
    source: "models/gemma2, transformers 5.23",
    decoder: Some(DecoderType::Gemma2),
    // Sizes and options.
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
    fixtures: &["gemma.jsonl"],
    published: &[("gemma-2-2b", 2_614_341_888)],
    ..LLAMA
};
