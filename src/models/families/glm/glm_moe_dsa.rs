//! `glm_moe_dsa` (`models/glm_moe_dsa, transformers 5.23`).

use crate::families::deepseek::{EXPERTS, reader};
use crate::families::llama::LLAMA;
use crate::model::{
    ExpertRule, Family, Groups, Indexer, Latent, LatentRotary, Masks, Options, Parts, Proof,
    Reader, Routing, Sizes, Style,
};

/// `glm_moe_dsa`.
pub(crate) const GLM_MOE_DSA: Family = Family {
    model_types: &["glm_moe_dsa"],
    source: "models/glm_moe_dsa, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(reader::read),
    sizes: Sizes {
        hidden: 6144,
        inner: 12_288,
        layers: 78,
        heads: 64,
        vocabulary: 154_880,
        ..LLAMA.sizes
    },
    options: Options::PLAIN,
    latent: Some(Latent {
        query_rank: Some(2048),
        rank: 512,
        straight: 192,
        rotated: 64,
        value: 256,
        rotary: LatentRotary::Pairs,
        indexer: Some(Indexer {
            heads: 32,
            columns: 128,
            kept: 2048,
            hands_on: true,
        }),
    }),
    experts: Some(ExpertRule {
        routing: Routing::Corrected(Groups::ONE),
        wide_correction: true,
        ..EXPERTS
    }),
    // Names.
    // Parts.
    style: Style {
        returns_several: true,
        masks: Masks::Always,
        ..Style::LLAMA
    },
    layers: Parts {
        gives_weights: true,
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    liger: None,
    attention_support: crate::model::AttentionSupport::CHOSEN_KEYS,
    adapter_support: crate::model::AdapterSupport::EXPERTS_OF_LAYERS,
    quantized_support: crate::model::QuantizedSupport::whole(&["indexer.weights_proj"]),
    tensor_plan: &[],
    fixtures: Proof::of(&["indexed_attention.jsonl"]),
    published: Proof::of(&[("glm-5", 743_911_199_232)]),
    ..LLAMA
};
