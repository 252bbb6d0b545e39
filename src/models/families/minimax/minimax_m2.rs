//! `minimax_m2` (`models/minimax_m2, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{
    Biases, ConfigFields, DecoderConfig, ExpertRule, Family, Flag, HeadDim, HeadNorm, NormKind,
    Options, Parts, Proof, Reader, RotaryColumns, RotaryKind, Routing, Sizes, StoredExperts,
};

/// `minimax_m2`.
pub(crate) const MINIMAX_M2: Family = Family {
    model_types: &["minimax_m2"],
    source: "models/minimax_m2, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(read),
    sizes: Sizes {
        hidden: 3072,
        inner: 1536,
        layers: 62,
        heads: 48,
        vocabulary: 200_064,
        kv_heads: Some(8),
        head_dim: HeadDim::Of(128),
        ..LLAMA.sizes
    },
    options: Options {
        biases: Biases::NONE,
        head_norms: Flag::Always,
        rotary_columns: RotaryColumns::Share("partial_rotary_factor", 1000),
        ..Options::PLAIN
    },
    experts: Some(ExpertRule {
        stored: StoredExperts::Numbered,
        count: (&["num_local_experts", "num_experts"], 256),
        per_token: 8,
        routing: Routing::CorrectedOutside,
        ..ExpertRule::PLAIN
    }),
    // Names.
    // Parts.
    layers: Parts {
        head_norm: HeadNorm::Whole(NormKind::Root),
        rotary_kind: RotaryKind::FirstColumns,
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    liger: None,
    adapter_support: crate::model::AdapterSupport::EXPERTS_OF_MIXTRAL,
    tensor_plan: crate::model::GATHERED_EXPERTS_PLAN,
    fixtures: Proof::of(&["newest_decoders.jsonl"]),
    published: Proof::of(&[("minimax-m2", 228_689_748_992)]),
    ..LLAMA
};

/// Reads a config, in which the rotated part of a head can be said in columns.
fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let mut config = kin::read(family, fields);
    let columns = config.head_dim;
    if fields.get("rotary_dim").is_some() {
        config.rotary_dim = fields.optional("rotary_dim", &(0..=columns), columns);
    }
    config
}
