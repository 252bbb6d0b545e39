//! `cohere2` (`models/cohere2, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family, HeadNorm, Masks, NormKind, Parts, Style, Turn};

/// `cohere2`.
pub(crate) const COHERE2: Family = Family {
    model_types: &["cohere2"],
    source: "models/cohere2, transformers 5.23",
    decoder: Some(DecoderType::Cohere2),
    // Sizes and options.
    // Names.
    // Parts.
    style: Style {
        norm: NormKind::WideLayer,
        scaled_logits: true,
        masks: Masks::Both,
        masks_in_4: Masks::Narrowed,
        ..Style::LLAMA
    },
    layers: Parts {
        turn: Turn::WidePairs,
        ..Parts::LLAMA
    },
    put_together: |c, _, _, parts| parts.head_norm = HeadNorm::Each.when(c.head_norms),
    // Programs.
    tasks: crate::model::CAUSAL_LM,
    generation: crate::model::Generation {
        caches: crate::model::Since::V451,
        caches_in_4: [crate::model::CacheIn4::Places; 2],
        ..crate::model::Generation::DECODER
    },
    // Support.
    fixtures: &["cohere_stablelm.jsonl"],
    published: &[("command-r7b", 8_028_033_024)],
    ..LLAMA
};
