//! `granite` (`models/granite, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{Biases, DecoderType, Family, Options, Reader};

/// `granite`.
pub(crate) const GRANITE: Family = Family {
    model_types: &["granite"],
    source: "models/granite, transformers 5.23",
    decoder: Some(DecoderType::Granite),
    // Sizes and options.
    read: Reader::Decoder(kin::read),
    options: Options {
        biases: Biases::ATTENTION_AND_MLP,
        ..Options::PLAIN
    },
    // Names.
    // Parts.
    // Programs.
    // Support.
    fixtures: &["starcoder2_granite.jsonl"],
    published: &[
        ("granite-3.1-2b", 2_533_531_648),
        ("granite-3.1-8b", 8_170_848_256),
    ],
    ..LLAMA
};
