//! `falcon_h1` (`models/falcon_h1, transformers 5.23`).

use super::reader::{self, Mixers};
use crate::ask::WIDTH;
use crate::families::llama::LLAMA;
use crate::model::{
    Biases, ConfigFields, DecoderConfig, EmbeddingScale, Family, LayerNames, Mixing, MlpNames,
    Options, Parts, Piece, Proof, Reader, Sizes, StateSpace, Style,
};

/// `falcon_h1`.
pub(crate) const FALCON_H1: Family = Family {
    model_types: &["falcon_h1"],
    source: "models/falcon_h1, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(read),
    sizes: Sizes {
        inner: 14_336,
        vocabulary: 128_000,
        kv_heads: Some(8),
        ..LLAMA.sizes
    },
    options: Options {
        biases: Biases::ATTENTION_AND_MLP,
        ..Options::PLAIN
    },
    // Names.
    names: LayerNames {
        block: "feed_forward",
        mixer: "mamba",
        last_norm: "final_layernorm",
        norms: [
            Some("input_layernorm"),
            None,
            Some("pre_ff_layernorm"),
            None,
        ],
        order: [Piece::Mlp, Piece::Mixer, Piece::Norms, Piece::Beside],
        mlp: MlpNames::Multiplied,
        ..LayerNames::LLAMA
    },
    // Parts.
    style: Style {
        embedding_scale: EmbeddingScale::Number,
        scaled_logits: true,
        looks_for_padding: true,
        ..Style::LLAMA
    },
    layers: Parts {
        scales_keys: true,
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    liger: None,
    plain_logits: false,
    adapter_support: crate::model::AdapterSupport::WITHOUT_OUT_PROJ,
    tensor_plan: &[],
    fixtures: Proof::of(&["falcon_h1.jsonl"]),
    published: Proof::of(&[
        ("falcon-h1-1.5b", 1_554_789_760),
        ("falcon-h1-34b", 33_642_221_312),
        ("falcon-h1-7b", 7_585_513_568),
        ("falcon-h1-3b", 3_149_256_192),
        ("falcon-h1-1.5b-deep", 1_554_773_392),
        ("falcon-h1-0.5b", 521_411_104),
    ]),
    ..LLAMA
};

/// All layers have both, and the state space has a width of its own.
fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let frame = reader::frame(family, fields);
    let inner = frame.inner(fields);
    let inner = if fields.is_null("mamba_d_ssm") {
        inner
    } else {
        fields.optional("mamba_d_ssm", &WIDTH, 1024)
    };
    let mixers = Mixers {
        kinds: frame.kinds(&[], Mixing::Both),
        space: StateSpace {
            multiplied: true,
            ..reader::state_space(inner, fields)
        },
    };
    let width = reader::width(family, fields);
    reader::read(family, frame, width, mixers, fields)
}
