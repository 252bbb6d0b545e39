//! `glm4_moe` (`models/glm4_moe, transformers 5.23`).

use crate::families::deepseek::EXPERTS;
use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{
    Biases, DecoderType, ExpertRule, Family, Flag, Groups, Options, Reader, RotaryColumns, Routing,
    Sizes, SparseLayers,
};

/// `glm4_moe`.
pub(crate) const GLM4_MOE: Family = Family {
    model_types: &["glm4_moe"],
    source: "models/glm4_moe, transformers 5.23",
    decoder: Some(DecoderType::Glm4Moe),
    // Sizes and options.
    read: Reader::Decoder(kin::read),
    sizes: Sizes {
        inner: 10_944,
        layers: 46,
        heads: 96,
        vocabulary: 151_552,
        kv_heads: Some(8),
        ..LLAMA.sizes
    },
    options: Options {
        biases: Biases::QKV,
        head_norms: Flag::Said("use_qk_norm", false),
        rotary_columns: RotaryColumns::Share("partial_rotary_factor", 500),
        ..Options::PLAIN
    },
    experts: Some(ExpertRule {
        count: (EXPERTS.count.0, 128),
        width: Some(1408),
        routing: Routing::Corrected(Groups::ONE),
        layers: SparseLayers::After(1),
        ..EXPERTS
    }),
    // Names.
    // Parts.
    // Programs.
    // Support.
    fixtures: &["mixtures.jsonl"],
    published: &[("glm-4.5-air", 106_852_245_504)],
    ..LLAMA
};
