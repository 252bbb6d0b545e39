//! `gpt_bigcode` (`models/gpt_bigcode, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `gpt_bigcode`.
pub(crate) const GPT_BIGCODE: Family = Family {
    model_types: &["gpt_bigcode"],
    source: "models/gpt_bigcode, transformers 5.23",
    decoder: Some(DecoderType::GptBigCode),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    generation: crate::model::Generation {
        generates: crate::model::Since::V5,
        logits_to_keep: crate::model::LogitsToKeep::Since(crate::model::Since::V5),
        ..crate::model::Generation::DECODER
    },
    // Support.
    fixtures: &["gpt_bigcode.jsonl"],
    published: &[
        ("starcoder-15b", 15_517_456_384),
        ("starcoderbase-1b", 1_137_207_296),
        ("santacoder-1.1b", 1_124_886_528),
    ],
    ..LLAMA
};
