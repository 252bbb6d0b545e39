//! `granitemoe` (`models/granitemoe, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{DecoderType, ExpertRule, Family, Options, Reader, Routing};

/// `granitemoe`.
pub(crate) const GRANITEMOE: Family = Family {
    model_types: &["granitemoe"],
    source: "models/granitemoe, transformers 5.23",
    decoder: Some(DecoderType::GraniteMoe),
    // Sizes and options.
    read: Reader::Decoder(kin::read),
    options: Options::PLAIN,
    experts: Some(ExpertRule {
        routing: Routing::Largest { biased: false },
        ..ExpertRule::PLAIN
    }),
    // Names.
    // Parts.
    // Programs.
    // Support.
    fixtures: &["granitemoe_before_5.jsonl", "mixtures.jsonl", "moe.jsonl"],
    published: &[
        ("granite-3.1-1b-a400m", 1_334_628_352),
        ("granite-3.1-3b-a800m", 3_298_793_472),
    ],
    ..LLAMA
};
