//! `llama4_text` (`models/llama4, transformers 5.23`).

use super::llama4_reader;
use crate::families::llama::LLAMA;
use crate::model::{
    ExpertRule, Family, Flag, HeadDim, Holds, LayerNames, Masks, NormKind, Options, Parts, Proof,
    Reader, RotaryLayers, Routing, SharedForm, SharedWidth, Sizes, SparseLayers, Style,
};

/// `llama4_text`.
pub(crate) const LLAMA4_TEXT: Family = Family {
    model_types: &["llama4_text"],
    source: "models/llama4, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(llama4_reader::read),
    sizes: Sizes {
        hidden: 5120,
        inner: 8192,
        layers: 48,
        heads: 40,
        vocabulary: 202_048,
        kv_heads: Some(8),
        head_dim: HeadDim::Of(128),
        ..LLAMA.sizes
    },
    options: Options {
        head_norms: Flag::Said("use_qk_norm", true),
        rotary_layers: RotaryLayers::Listed,
        ..Options::PLAIN
    },
    experts: Some(ExpertRule {
        count: (&["num_local_experts", "num_experts"], 16),
        per_token: 1,
        shared: SharedWidth::Same,
        shared_form: SharedForm::Plain,
        routing: Routing::Sigmoid,
        built_first: true,
        balanced: Flag::Never,
        layers: SparseLayers::Interleaved,
        ..ExpertRule::PLAIN
    }),
    // Names.
    names: LayerNames {
        block: "feed_forward",
        router: "router",
        shared: "shared_expert",
        ..LayerNames::LLAMA
    },
    // Parts.
    style: Style {
        norm: NormKind::CastRoot,
        masks: Masks::Chunked,
        complex_rotary: true,
        ..Style::LLAMA
    },
    layers: Parts {
        turns_rows: true,
        narrow_softmax: true,
        holds: Holds::Result,
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    liger: None,
    adapter_support: crate::model::AdapterSupport::LINEAR_ROUTERS,
    tensor_plan: &[],
    divides_experts: false,
    fixtures: Proof::of(&["llama4.jsonl"]),
    published: Proof::of(&[
        ("llama-4-maverick", 400_711_848_960),
        ("llama-4-scout", 107_769_861_120),
    ]),
    ..LLAMA
};
