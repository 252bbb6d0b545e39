//! `opt` (`models/opt, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `opt`.
pub(crate) const OPT: Family = Family {
    model_types: &["opt"],
    source: "models/opt, transformers 5.23",
    decoder: Some(DecoderType::Opt),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    // Support.
    liger: None,
    fixtures: &["opt.jsonl"],
    published: &[("opt-125m", 125_239_296), ("opt-1.3b", 1_315_758_080)],
    ..LLAMA
};
