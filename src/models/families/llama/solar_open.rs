//! `solar_open` (`models/solar_open, transformers 5.23`).

use crate::families::deepseek::EXPERTS;
use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{
    Biases, ExpertRule, Family, Groups, HeadDim, Options, Proof, Reader, Routing, Sizes,
    SparseLayers,
};

/// `solar_open`.
pub(crate) const SOLAR_OPEN: Family = Family {
    model_types: &["solar_open"],
    source: "models/solar_open, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(kin::read),
    sizes: Sizes {
        inner: 1280,
        layers: 48,
        heads: 64,
        vocabulary: 196_608,
        kv_heads: Some(8),
        head_dim: HeadDim::Of(128),
        ..LLAMA.sizes
    },
    options: Options {
        biases: Biases::QKV,
        ..Options::PLAIN
    },
    experts: Some(ExpertRule {
        count: (EXPERTS.count.0, 128),
        width: Some(1280),
        routing: Routing::Corrected(Groups::ONE),
        layers: SparseLayers::After(0),
        ..EXPERTS
    }),
    // Names.
    // Parts.
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    liger: None,
    adapter_support: crate::model::AdapterSupport::EXPERTS_OF_LAYERS,
    tensor_plan: crate::model::EXPERTS_PLAN,
    fixtures: Proof::of(&["newest_decoders.jsonl"]),
    published: Proof::of(&[("solar-open-100b", 102_651_793_408)]),
    ..LLAMA
};
