//! `deepseek_v32` (`models/deepseek_v32, transformers 5.23`).

use super::{EXPERTS, reader};
use crate::families::llama::LLAMA;
use crate::model::{
    ExpertRule, Family, Indexer, Latent, LatentRotary, Masks, Options, Proof, Reader, Sizes, Style,
};

/// `deepseek_v32`.
pub(crate) const DEEPSEEK_V32: Family = Family {
    model_types: &["deepseek_v32"],
    source: "models/deepseek_v32, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(reader::read),
    sizes: Sizes {
        hidden: 7168,
        inner: 18_432,
        layers: 61,
        heads: 128,
        vocabulary: 129_280,
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
        indexer: Some(Indexer {
            heads: 64,
            columns: 128,
            kept: 2048,
            hands_on: false,
        }),
    }),
    experts: Some(ExpertRule {
        wide_correction: true,
        ..EXPERTS
    }),
    // Names.
    // Parts.
    style: Style {
        masks: Masks::Always,
        ..Style::LLAMA
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
    published: Proof::of(&[("deepseek-v3.2", 671_877_929_216)]),
    ..LLAMA
};
