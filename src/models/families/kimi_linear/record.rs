//! `kimi_linear` (`models/kimi_linear, transformers 5.23`).

use super::reader;
use crate::families::deepseek;
use crate::families::llama::LLAMA;
use crate::model::{
    ExpertRule, Family, Generation, Groups, Latent, LatentRotary, Options, Proof, Reader, Routing,
    Since, Sizes, SparseLayers, StoredExperts, Style,
};

/// `kimi_linear`.
pub(crate) const KIMI_LINEAR: Family = Family {
    model_types: &["kimi_linear"],
    source: "models/kimi_linear, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(reader::read),
    attribute_map: &[
        ("max_position_embeddings", "model_max_length"),
        ("norm_topk_prob", "moe_renormalize"),
        ("n_group", "num_expert_group"),
        ("num_experts_per_tok", "num_experts_per_token"),
    ],
    sizes: Sizes {
        hidden: 2304,
        inner: 9216,
        layers: 27,
        heads: 32,
        vocabulary: 163_840,
        ..LLAMA.sizes
    },
    options: Options::PLAIN,
    latent: Some(Latent {
        query_rank: None,
        rank: 512,
        straight: 128,
        rotated: 64,
        value: 128,
        rotary: LatentRotary::None,
        indexer: None,
    }),
    experts: Some(ExpertRule {
        stored: StoredExperts::Numbered,
        width: Some(1024),
        routing: Routing::Corrected(Groups::ONE),
        layers: SparseLayers::After(1),
        ..deepseek::EXPERTS
    }),
    // Parts.
    style: Style {
        looks_for_padding: true,
        ..Style::LLAMA
    },
    // Programs.
    since: Since::V5,
    tasks: crate::model::CAUSAL_LM,
    generation: Generation {
        flash: true,
        ..Generation::DECODER
    },
    // Support.
    liger: None,
    fixtures: Proof::of(&["kimi_linear.jsonl"]),
    published: Proof::of(&[("kimi-linear-48b-a3b", 49_122_675_072)]),
    ..LLAMA
};
