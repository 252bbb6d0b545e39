//! `glm4_moe_lite` (`models/glm4_moe_lite, transformers 5.23`).

use crate::families::deepseek::{EXPERTS, reader};
use crate::families::llama::LLAMA;
use crate::model::{
    ExpertRule, Family, Groups, Latent, LatentRotary, Options, Proof, Reader, Routing, Sizes,
    SparseLayers,
};

/// `glm4_moe_lite`.
pub(crate) const GLM4_MOE_LITE: Family = Family {
    model_types: &["glm4_moe_lite"],
    source: "models/glm4_moe_lite, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(reader::read),
    sizes: Sizes {
        hidden: 2048,
        inner: 10_240,
        layers: 47,
        heads: 20,
        vocabulary: 154_880,
        ..LLAMA.sizes
    },
    options: Options::PLAIN,
    latent: Some(Latent {
        query_rank: Some(768),
        rank: 512,
        straight: 192,
        rotated: 64,
        value: 256,
        rotary: LatentRotary::Pairs,
        indexer: None,
    }),
    experts: Some(ExpertRule {
        count: (EXPERTS.count.0, 64),
        per_token: 4,
        width: Some(1536),
        routing: Routing::Corrected(Groups::ONE),
        layers: SparseLayers::After(1),
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
    tensor_plan: &[],
    fixtures: Proof::of(&["newest_decoders.jsonl"]),
    published: Proof::of(&[("glm-4.7-flash", 29_943_390_976)]),
    ..LLAMA
};
