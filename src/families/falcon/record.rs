//! `falcon` (`models/falcon, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family};

/// `falcon`.
pub(crate) const FALCON: Family = Family {
    model_types: &["falcon"],
    source: "models/falcon, transformers 5.23",
    decoder: Some(DecoderType::Falcon),
    // Sizes and options.
    // Names.
    // Parts.
    // Programs.
    generation: crate::model::Generation {
        caches_in_4: [crate::model::CacheIn4::Returned; 2],
        ..crate::model::Generation::DECODER
    },
    // Support.
    fixtures: &["falcon.jsonl"],
    published: &[
        ("falcon-rw-1b", 1_311_625_216),
        ("falcon-7b", 6_921_720_704),
        ("falcon-40b", 41_303_293_952),
    ],
    ..LLAMA
};
