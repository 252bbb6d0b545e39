//! `gemma2` (`models/gemma2, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `gemma2`.
pub(crate) const GEMMA2: Family = Family {
    model_types: &["gemma2"],
    source: "models/gemma2, transformers 5.23",
    decoder: Some(DecoderType::Gemma2),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
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
    fixtures: &["gemma.jsonl"],
    published: &[("gemma-2-2b", 2_614_341_888)],
    ..LLAMA
};
