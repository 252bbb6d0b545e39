//! `olmo` (`models/olmo, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{DecoderType, Family, Flag, Options, Reader, Sizes};

/// `olmo`.
pub(crate) const OLMO: Family = Family {
    model_types: &["olmo"],
    source: "models/olmo, transformers 5.23",
    decoder: Some(DecoderType::Olmo),
    // Sizes and options.
    read: Reader::Decoder(kin::read),
    sizes: Sizes {
        vocabulary: 50_304,
        ..LLAMA.sizes
    },
    options: Options {
        clips_heads: Flag::Given("clip_qkv"),
        ..Options::PLAIN
    },
    // Names.
    // Parts.
    // Programs.
    // Support.
    fixtures: &["olmo_glm_helium.jsonl"],
    published: &[("olmo-1b", 1_176_764_416), ("olmo-7b", 6_888_095_744)],
    ..LLAMA
};
