//! `stablelm` (`models/stablelm, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `stablelm`.
pub(crate) const STABLELM: Family = Family {
    model_types: &["stablelm"],
    source: "models/stablelm, transformers 5.23",
    decoder: Some(DecoderType::StableLm),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    generation: crate::model::Generation {
        caches_in_4: [crate::model::CacheIn4::Returned; 2],
        ..crate::model::Generation::DECODER
    },
    // Support.
    fixtures: &["cohere_stablelm.jsonl"],
    published: &[
        ("stablelm-3b", 2_795_443_200),
        ("stablelm-2-1.6b", 1_644_515_328),
    ],
    ..LLAMA
};
