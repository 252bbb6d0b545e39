//! `axk1` (`models/axk1, transformers 5.23`).

use super::{EXPERTS, reader};
use crate::families::llama::LLAMA;
use crate::model::{
    ConfigFields, DecoderConfig, ExpertRule, Family, Latent, LatentRotary, LayerNames, Options,
    Proof, Reader, Sizes, SparseLayers,
};

/// `axk1`.
pub(crate) const AXK1: Family = Family {
    model_types: &["axk1"],
    source: "models/axk1, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(read),
    sizes: Sizes {
        hidden: 7168,
        inner: 18_432,
        layers: 61,
        heads: 64,
        vocabulary: 163_840,
        ..LLAMA.sizes
    },
    options: Options::PLAIN,
    latent: Some(Latent {
        query_rank: Some(1536),
        rank: 512,
        straight: 128,
        rotated: 64,
        value: 128,
        rotary: LatentRotary::Pairs,
        indexer: None,
    }),
    experts: Some(ExpertRule {
        count: (EXPERTS.count.0, 192),
        layers: SparseLayers::After(1),
        ..EXPERTS
    }),
    // Names.
    names: LayerNames {
        after_experts: Some("post_mlp_layernorm"),
        ..LayerNames::LLAMA
    },
    // Parts.
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    liger: None,
    tensor_plan: &[],
    fixtures: Proof::of(&["further_decoders.jsonl"]),
    published: Proof::of(&[("ax-k1-519b-a33b", 518_983_052_288)]),
    ..LLAMA
};

/// Queries are in low rank, too.
fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let config = reader::read(family, fields);
    reader::check_query_rank(&config, fields);
    config
}
