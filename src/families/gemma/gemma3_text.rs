//! `gemma3_text` (`models/gemma3, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{
    DecoderType, EmbeddingScale, Family, HeadNorm, LayerNames, Masks, NormKind, Parts, Style,
};

/// `gemma3_text`.
pub(crate) const GEMMA3_TEXT: Family = Family {
    model_types: &["gemma3_text"],
    source: "models/gemma3, transformers 5.23",
    decoder: Some(DecoderType::Gemma3),
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
    fixtures: &["gemma.jsonl"],
    published: &[("gemma-3-1b", 999_885_952)],
    ..LLAMA
};
