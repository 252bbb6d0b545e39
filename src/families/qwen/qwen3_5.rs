//! `qwen3_5` (`models/qwen3_5, transformers 5.23`).

use crate::families::hybrid::reader;
use crate::families::llama::LLAMA;
use crate::model::{DecoderType, Family, Flag, HeadDim, Options, Reader, RotaryColumns, Sizes};

/// `qwen3_5`.
pub(crate) const QWEN3_5: Family = Family {
    model_types: &["qwen3_5", "qwen3_5_text"],
    source: "models/qwen3_5, transformers 5.23",
    decoder: Some(DecoderType::Qwen35),
    // Sizes and options.
    read: Reader::Decoder(reader::read_delta),
    sizes: Sizes {
        inner: 12_288,
        heads: 16,
        vocabulary: 248_320,
        kv_heads: Some(4),
        head_dim: HeadDim::Of(256),
        ..LLAMA.sizes
    },
    options: Options {
        head_norms: Flag::Always,
        rotary_columns: RotaryColumns::Share("partial_rotary_factor", 250),
        ..Options::PLAIN
    },
    // Names.
    // Parts.
    // Programs.
    // Support.
    fixtures: &["qwen3_next.jsonl"],
    published: &[("qwen3.5-9b", 8_953_803_264)],
    ..LLAMA
};
