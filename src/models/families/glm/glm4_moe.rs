//! `glm4_moe` (`models/glm4_moe, transformers 5.23`).

use crate::families::deepseek::EXPERTS;
use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{
    Biases, ExpertRule, Family, Flag, Groups, HeadNorm, NormKind, Options, Parts, Proof, Reader,
    RotaryColumns, RotaryKind, Routing, Sizes, SparseLayers,
};

/// `glm4_moe`.
pub(crate) const GLM4_MOE: Family = Family {
    model_types: &["glm4_moe"],
    source: "models/glm4_moe, transformers 5.23",
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
    layers: Parts {
        rotary_kind: RotaryKind::FirstColumns,
        ..Parts::LLAMA
    },
    put_together: |c, _, _, parts| {
        parts.head_norm = HeadNorm::Together(NormKind::Root).when(c.head_norms);
    },
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    generation: crate::model::Generation {
        special_tokens: 0,
        ..crate::model::Generation::DECODER
    },
    // Support.
    liger: None,
    adapter_support: crate::model::AdapterSupport::EXPERTS_OF_LAYERS,
    tensor_plan: crate::model::SHARED_EXPERTS_PLAN,
    fixtures: Proof::of(&["mixtures.jsonl"]),
    published: Proof::of(&[("glm-4.5-air", 106_852_245_504)]),
    ..LLAMA
};
