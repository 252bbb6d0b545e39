//! `lfm2` (`models/lfm2, transformers 5.23`).

use super::reader::{self, Frame, Mixers};
use crate::ask::{Finding, WIDTH, message};
use crate::families::llama::LLAMA;
use crate::families::mamba::SMALL;
use crate::model::{
    Biases, ConfigFields, DecoderConfig, DropoutFields, Family, Flag, HeadDim, HeadNorm,
    LayerNames, Mixing, MlpNames, NormKind, Options, Parts, Proof, Reader, Sizes, StateSpace,
    Style,
};
use serde_json::Value;

/// `lfm2`.
pub(crate) const LFM2: Family = Family {
    model_types: &["lfm2"],
    source: "models/lfm2, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(read),
    sizes: Sizes {
        hidden: 2560,
        inner: 12_288,
        vocabulary: 65_536,
        kv_heads: Some(8),
        head_dim: HeadDim::Divided,
        ..LLAMA.sizes
    },
    options: Options {
        tied: true,
        biases: Biases::NONE,
        head_norms: Flag::Always,
        dropout: DropoutFields::NONE,
        ..Options::PLAIN
    },
    // Names.
    names: LayerNames {
        block: "feed_forward",
        attention_output: "out_proj",
        head_norms: ["q_layernorm", "k_layernorm"],
        mixer: "conv",
        last_norm: "embedding_norm",
        norms: [Some("operator_norm"), None, Some("ffn_norm"), None],
        mlp: MlpNames::Numbered,
        ..LayerNames::LLAMA
    },
    // Parts.
    style: Style {
        looks_for_padding: true,
        ..Style::LLAMA
    },
    layers: Parts {
        head_norm: HeadNorm::Rows(NormKind::Root),
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    liger: None,
    tensor_plan: &[],
    fixtures: Proof::of(&["lfm2_bamba.jsonl"]),
    published: Proof::of(&[
        ("lfm2-2.6b", 2_569_272_320),
        ("lfm2-vl-450m", 354_483_968),
        ("lfm2-350m", 354_483_968),
        ("lfm2-700m", 742_489_344),
        ("lfm2-1.2b", 1_170_340_608),
    ]),
    ..LLAMA
};

fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let frame = reader::frame(family, fields);
    let width = adjusted(fields);
    with_convolutions(family, frame, width, fields)
}

/// Layers that do not attend are a convolution between two gates.
pub(super) fn with_convolutions(
    family: &'static Family,
    frame: Frame,
    width: u64,
    fields: &mut ConfigFields<'_>,
) -> DecoderConfig {
    let attends = reader::attending(frame.layers, |_| true, fields);
    let mixers = Mixers {
        kinds: frame.kinds(&attends, Mixing::ShortConv),
        space: StateSpace {
            state_size: 1,
            conv_kernel: fields.optional("conv_L_cache", &SMALL, 3),
            conv_bias: fields.flag("conv_bias", false),
            ..StateSpace::default()
        },
    };
    let mut config = reader::read(family, frame, width, mixers, fields);
    if fields.get("tie_embedding").is_some() {
        config.tie_word_embeddings = fields.flag("tie_embedding", true);
    }
    config
}

/// The width of its MLP: two thirds of what the config names, times a factor, rounded up.
fn adjusted(fields: &mut ConfigFields<'_>) -> u64 {
    let width = fields.named(&["block_ff_dim", "intermediate_size"], &WIDTH, 12_288);
    if !fields.flag("block_auto_adjust_ff_dim", true) {
        return width;
    }
    let multiple = fields.optional("block_multiple_of", &WIDTH, 256);
    let factor = fields
        .get("block_ffn_dim_multiplier")
        .and_then(Value::as_f64);
    if factor.is_some_and(|factor| (factor - 1.0).abs() > f64::EPSILON) {
        let key = fields.key("block_ffn_dim_multiplier");
        fields.push(Finding::error(&key, message!(hybrid::lfm2_multiplier)).with_fix(&key, 1));
    }
    (2 * width / 3).next_multiple_of(multiple)
}
