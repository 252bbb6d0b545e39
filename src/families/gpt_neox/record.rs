//! `gpt_neox` (`models/gpt_neox, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `gpt_neox`.
pub(crate) const GPT_NEOX: Family = Family {
    model_types: &["gpt_neox"],
    source: "models/gpt_neox, transformers 5.23",
    decoder: Some(DecoderType::GptNeox),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: None,
    fixtures: &["gpt_neox.jsonl"],
    published: &[("pythia-160m", 162_322_944), ("pythia-1.4b", 1_414_647_808)],
    ..LLAMA
};
