//! `olmo_hybrid` (`models/olmo_hybrid, transformers 5.23`).

use super::olmo_hybrid_reader;
use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family, Flag, Options, Reader, Sizes};

/// `olmo_hybrid`.
pub(crate) const OLMO_HYBRID: Family = Family {
    model_types: &["olmo_hybrid"],
    source: "models/olmo_hybrid, transformers 5.23",
    decoder: Some(DecoderType::OlmoHybrid),
    // Sizes and options.
    read: Reader::Decoder(olmo_hybrid_reader::read),
    sizes: Sizes {
        hidden: 3840,
        heads: 30,
        vocabulary: 100_352,
        ..LLAMA.sizes
    },
    options: Options {
        head_norms: Flag::Always,
        ..Options::PLAIN
    },
    // Names.
    // Parts.
    // Programs.
    // Support.
    fixtures: &["olmo_hybrid.jsonl"],
    published: &[],
    ..LLAMA
};
