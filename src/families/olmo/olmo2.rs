//! `olmo2` (`models/olmo2, transformers 5.23`).

use super::olmo2_reader;
use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family, Flag, Options, Reader, Sizes};

/// `olmo2`.
pub(crate) const OLMO2: Family = Family {
    model_types: &["olmo2"],
    source: "models/olmo2, transformers 5.23",
    decoder: Some(DecoderType::Olmo2),
    // Sizes and options.
    read: Reader::Decoder(olmo2_reader::read),
    sizes: Sizes {
        vocabulary: 50_304,
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
    fixtures: &["olmo2.jsonl"],
    published: &[("olmo-2-1b", 1_484_916_736)],
    ..LLAMA
};
