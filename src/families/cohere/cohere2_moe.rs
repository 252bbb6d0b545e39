//! `cohere2_moe` (`models/cohere2_moe, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family, HeadNorm, Masks, NormKind, Parts, Style, Turn};

/// `cohere2_moe`.
pub(crate) const COHERE2_MOE: Family = Family {
    model_types: &["cohere2_moe"],
    source: "models/cohere2_moe, transformers 5.23",
    decoder: Some(DecoderType::Cohere2Moe),
    // Sizes and options.
    // Names.
    // Parts.
    style: Style {
        norm: NormKind::WideLayer,
        scaled_logits: true,
        masks: Masks::Both,
        ..Style::LLAMA
    },
    layers: Parts {
        turn: Turn::WidePairs,
        ..Parts::LLAMA
    },
    put_together: |c, _, style, parts| {
        if c.root_norms {
            style.norm = NormKind::Root;
        }
        parts.head_norm = HeadNorm::Each.when(c.head_norms);
    },
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    fixtures: &["further_decoders.jsonl"],
    published: &[],
    ..LLAMA
};
