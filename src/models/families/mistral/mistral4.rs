//! `mistral4` (`models/mistral4, transformers 5.23`).

use crate::families::deepseek::{EXPERTS, reader};
use crate::families::llama::LLAMA;
use crate::model::{
    ExpertRule, Family, Groups, Latent, LatentRotary, Options, Proof, Reader, Routing, Sizes,
    SparseLayers, StoredExperts,
};

/// `mistral4`.
pub(crate) const MISTRAL4: Family = Family {
    model_types: &["mistral4"],
    source: "models/mistral4, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(reader::read),
    sizes: Sizes {
        inner: 12_288,
        layers: 36,
        vocabulary: 131_072,
        ..LLAMA.sizes
    },
    options: Options {
        scales_queries: true,
        ..Options::PLAIN
    },
    latent: Some(Latent {
        query_rank: Some(1024),
        rank: 256,
        straight: 64,
        rotated: 64,
        value: 128,
        rotary: LatentRotary::Pairs,
        indexer: None,
    }),
    experts: Some(ExpertRule {
        stored: StoredExperts::Stacked,
        count: (EXPERTS.count.0, 128),
        per_token: 4,
        routing: Routing::Grouped(Groups::ONE),
        layers: SparseLayers::After(0),
        ..EXPERTS
    }),
    // Names.
    // Parts.
    // Programs.
    since: crate::model::Since::V5,
    // Support.
    liger: None,
    tensor_plan: &[],
    fixtures: Proof::of(&["further_decoders.jsonl"]),
    published: Proof::of(&[("mistral-small-4-119b", 118_972_826_624)]),
    ..LLAMA
};
