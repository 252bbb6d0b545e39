//! `qwen2_moe` (`models/qwen2_moe, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `qwen2_moe`.
pub(crate) const QWEN2_MOE: Family = Family {
    model_types: &["qwen2_moe"],
    source: "models/qwen2_moe, transformers 5.23",
    decoder: Some(DecoderType::Qwen2Moe),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: None,
    fixtures: &["moe.jsonl"],
    published: &[("qwen1.5-moe-a2.7b", 14_315_784_192)],
    ..LLAMA
};
