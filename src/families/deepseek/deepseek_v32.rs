//! `deepseek_v32` (`models/deepseek_v32, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family, Masks, Style};

/// `deepseek_v32`.
pub(crate) const DEEPSEEK_V32: Family = Family {
    model_types: &["deepseek_v32"],
    source: "models/deepseek_v32, transformers 5.23",
    decoder: Some(DecoderType::DeepseekV32),
    // Sizes and options.
    // Names.
    // Parts.
    style: Style {
        masks: Masks::Always,
        ..Style::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    fixtures: &["indexed_attention.jsonl"],
    published: &[("deepseek-v3.2", 671_877_929_216)],
    ..LLAMA
};
