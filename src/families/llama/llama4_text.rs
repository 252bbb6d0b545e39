//! `llama4_text` (`models/llama4, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family, Holds, LayerNames, Masks, NormKind, Parts, Style};

/// `llama4_text`.
pub(crate) const LLAMA4_TEXT: Family = Family {
    model_types: &["llama4_text"],
    source: "models/llama4, transformers 5.23",
    decoder: Some(DecoderType::Llama4),
    // Sizes and options.
    // Names.
    names: LayerNames {
        block: "feed_forward",
        router: "router",
        shared: "shared_expert",
        ..LayerNames::LLAMA
    },
    // Parts.
    style: Style {
        norm: NormKind::CastRoot,
        masks: Masks::Chunked,
        complex_rotary: true,
        ..Style::LLAMA
    },
    layers: Parts {
        turns_rows: true,
        narrow_softmax: true,
        holds: Holds::Result,
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    fixtures: &["llama4.jsonl"],
    published: &[("llama-4-scout", 107_769_861_120)],
    ..LLAMA
};
