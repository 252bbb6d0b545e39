//! `qwen3_next` (`models/qwen3_next, transformers 5.23`).

use crate::families::hybrid::reader;
use crate::families::llama::LLAMA;
use crate::model::{
    DecoderType, ExpertRule, Family, Flag, HeadDim, Options, Reader, RotaryColumns, SharedWidth,
    Sizes, SparseLayers,
};

/// `qwen3_next`.
pub(crate) const QWEN3_NEXT: Family = Family {
    model_types: &["qwen3_next"],
    source: "models/qwen3_next, transformers 5.23",
    decoder: Some(DecoderType::Qwen3Next),
    // Sizes and options.
    read: Reader::Decoder(reader::read_delta),
    sizes: Sizes {
        hidden: 2048,
        inner: 5632,
        layers: 48,
        heads: 16,
        vocabulary: 151_936,
        kv_heads: Some(2),
        head_dim: HeadDim::Of(256),
        ..LLAMA.sizes
    },
    options: Options {
        head_norms: Flag::Always,
        rotary_columns: RotaryColumns::Share("partial_rotary_factor", 250),
        ..Options::PLAIN
    },
    experts: Some(ExpertRule {
        count: (&["num_experts"], 512),
        none: Some(0),
        per_token: 10,
        width: Some(512),
        shared: SharedWidth::Field("shared_expert_intermediate_size", 512),
        normalized: Flag::Said("norm_topk_prob", true),
        layers: SparseLayers::Stepped,
        ..ExpertRule::PLAIN
    }),
    // Names.
    // Parts.
    // Programs.
    // Support.
    fixtures: &["qwen3_next.jsonl"],
    published: &[("qwen3-next-80b-a3b", 79_674_391_296)],
    ..LLAMA
};
