//! `jamba` (`models/jamba, transformers 5.23`).

use super::reader::{self, Mixers};
use crate::families::llama::LLAMA;
use crate::families::mamba::{SMALL, reader as mamba};
use crate::families::reading::layer_lists;
use crate::model::{
    Biases, ConfigFields, DecoderConfig, ExpertRule, Family, Flag, HeadDim, InnerNorms, LayerNames,
    Mixing, Options, Proof, Reader, RotaryColumns, Routing, Sizes, SparseLayers, StateSpace, Style,
};

/// `jamba`.
pub(crate) const JAMBA: Family = Family {
    model_types: &["jamba"],
    source: "models/jamba, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(read),
    sizes: Sizes {
        inner: 14_336,
        vocabulary: 65_536,
        kv_heads: Some(8),
        head_dim: HeadDim::Divided,
        ..LLAMA.sizes
    },
    options: Options {
        biases: Biases::NONE,
        rotary_columns: RotaryColumns::None,
        ..Options::PLAIN
    },
    experts: Some(ExpertRule {
        count: (&["num_experts"], 16),
        none: Some(1),
        normalized: Flag::Said("norm_topk_prob", false),
        routing: Routing::SoftmaxOfTokens,
        layers: SparseLayers::Periodic(["expert_layer_period", "expert_layer_offset"], [2, 1]),
        ..ExpertRule::PLAIN
    }),
    // Names.
    names: LayerNames {
        block: "feed_forward",
        router: "router",
        mixer: "mamba",
        last_norm: "final_layernorm",
        norms: [
            Some("input_layernorm"),
            None,
            Some("pre_ff_layernorm"),
            None,
        ],
        ..LayerNames::LLAMA
    },
    // Parts.
    style: Style {
        looks_for_padding: true,
        ..Style::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    // Support.
    liger: None,
    tensor_plan: &[],
    fixtures: Proof::of(&["jamba.jsonl"]),
    published: Proof::of(&[
        ("jamba-1.5-large", 398_555_145_696),
        ("jamba-v0.1", 51_570_323_328),
    ]),
    ..LLAMA
};

/// One of every `attn_layer_period` layers attends; the state space of the others is Mamba's.
fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let frame = reader::frame(family, fields);
    let names = ["attn_layer_period", "attn_layer_offset"];
    let attends = layer_lists::periodic(frame.layers, names, [8, 4], fields);
    reader::refuse_set(fields, "mamba_proj_bias");
    let mixers = Mixers {
        kinds: frame.kinds(&attends, Mixing::StateSpace),
        space: StateSpace {
            inner: frame.inner(fields),
            state_size: fields.optional("mamba_d_state", &SMALL, 16),
            conv_kernel: fields.optional("mamba_d_conv", &SMALL, 4),
            time_step_rank: mamba::rank(fields, "mamba_dt_rank", frame.hidden),
            conv_bias: fields.flag("mamba_conv_bias", true),
            inner_norms: InnerNorms::Trained,
            ..StateSpace::default()
        },
    };
    let width = reader::width(family, fields);
    reader::read(family, frame, width, mixers, fields)
}
