//! `deepseek_v2` (`models/deepseek_v2, transformers 5.23`).

use super::{EXPERTS, SHARED, reader};
use crate::families::llama::LLAMA;
use crate::model::{
    Biases, ExpertRule, Family, Flag, Latent, LatentRotary, Options, Proof, Reader, Routing,
    SharedWidth, Sizes, SparseLayers, Style,
};

/// `deepseek_v2`.
pub(crate) const DEEPSEEK_V2: Family = Family {
    model_types: &["deepseek_v2"],
    source: "models/deepseek_v2, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(reader::read),
    sizes: Sizes {
        vocabulary: 102_400,
        ..LLAMA.sizes
    },
    options: Options {
        biases: Biases::ATTENTION_AND_MLP,
        ..Options::PLAIN
    },
    latent: Some(Latent {
        query_rank: Some(1536),
        rank: 512,
        straight: 128,
        rotated: 64,
        value: 128,
        rotary: LatentRotary::Complex,
        indexer: None,
    }),
    experts: Some(ExpertRule {
        count: (EXPERTS.count.0, 64),
        width: Some(1407),
        shared: SharedWidth::Times(SHARED, 2),
        normalized: Flag::Never,
        routing: Routing::Scaled(None),
        layers: SparseLayers::After(0),
        ..EXPERTS
    }),
    // Names.
    // Parts.
    style: Style {
        complex_rotary: true,
        ..Style::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    // Support.
    liger: None,
    adapter_support: crate::model::AdapterSupport::EXPERTS_OF_LAYERS,
    tensor_plan: &[],
    fixtures: Proof::of(&["moe.jsonl"]),
    published: Proof::of(&[
        ("deepseek-v2-lite", 15_706_484_224),
        ("deepseek-v2", 235_741_434_880),
    ]),
    ..LLAMA
};
