//! `gpt_oss` (`models/gpt_oss, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `gpt_oss`.
pub(crate) const GPT_OSS: Family = Family {
    model_types: &["gpt_oss"],
    source: "models/gpt_oss, transformers 5.23",
    decoder: Some(DecoderType::GptOss),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    // Its experts are its own.
    liger: Some(crate::model::LigerSupport {
        gated: None,
        ..crate::model::LigerSupport::SWIGLU_SINCE_5
    }),
    attention_support: crate::model::AttentionSupport::SINKS,
    fixtures: &["mixtures.jsonl"],
    published: &[
        ("gpt-oss-20b", 20_914_757_184),
        ("gpt-oss-120b", 116_829_156_672),
    ],
    ..LLAMA
};
