//! `qwen3_moe` (`models/qwen3_moe, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family, HeadNorm, MaskingIn4, NormKind, Parts, Style};

/// `qwen3_moe`.
pub(crate) const QWEN3_MOE: Family = Family {
    model_types: &["qwen3_moe"],
    source: "models/qwen3_moe, transformers 5.23",
    decoder: Some(DecoderType::Qwen3Moe),
    // Sizes and options.
    // Names.
    // Parts.
    style: Style {
        masking_in_4: MaskingIn4::Window,
        ..Style::LLAMA
    },
    layers: Parts {
        head_norm: HeadNorm::Rows(NormKind::Root),
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V451,
    generation: crate::model::Generation {
        special_tokens: 0,
        ..crate::model::Generation::DECODER
    },
    // Support.
    fixtures: &["moe.jsonl"],
    published: &[
        ("qwen3-30b-a3b", 30_532_122_624),
        ("qwen3-235b-a22b", 235_093_634_560),
    ],
    ..LLAMA
};
