//! `deepseek_v2` (`models/deepseek_v2, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family, Style};

/// `deepseek_v2`.
pub(crate) const DEEPSEEK_V2: Family = Family {
    model_types: &["deepseek_v2"],
    source: "models/deepseek_v2, transformers 5.23",
    decoder: Some(DecoderType::DeepseekV2),
    // Sizes and options.
    // Names.
    // Parts.
    style: Style {
        complex_rotary: true,
        ..Style::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    // Support.
    fixtures: &["moe.jsonl"],
    published: &[
        ("deepseek-v2-lite", 15_706_484_224),
        ("deepseek-v2", 235_741_434_880),
    ],
    ..LLAMA
};
