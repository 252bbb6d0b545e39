//! `qwen3_5_moe` (`models/qwen3_5_moe, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `qwen3_5_moe`.
pub(crate) const QWEN3_5_MOE: Family = Family {
    model_types: &["qwen3_5_moe", "qwen3_5_moe_text"],
    source: "models/qwen3_5_moe, transformers 5.23",
    decoder: Some(DecoderType::Qwen35Moe),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: None,
    attention_support: crate::model::AttentionSupport {
        check: Some(crate::families::hybrid::check_delta_rule),
        ..crate::model::AttentionSupport::ALL
    },
    fixtures: &["qwen3_next.jsonl"],
    published: &[("qwen3.5-35b-a3b", 34_660_610_688)],
    ..LLAMA
};
