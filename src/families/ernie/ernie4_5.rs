//! `ernie4_5` (`models/ernie4_5, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `ernie4_5`.
pub(crate) const ERNIE4_5: Family = Family {
    model_types: &["ernie4_5"],
    source: "models/ernie4_5, transformers 5.23",
    decoder: Some(DecoderType::Ernie45),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: None,
    fixtures: &["smollm3_exaone4_seed_oss.jsonl"],
    published: &[("ernie-4.5-0.3b", 360_748_032)],
    ..LLAMA
};
