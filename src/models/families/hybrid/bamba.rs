//! `bamba` (`models/bamba, transformers 5.23`).

use super::reader::{self, Mixers};
use crate::families::llama::LLAMA;
use crate::model::{
    Biases, ConfigFields, DecoderConfig, Family, HeadDim, LayerNames, Mixing, Options, Parts,
    Piece, Proof, Reader, RotaryColumns, RotaryKind, Sizes, Style,
};

/// `bamba`.
pub(crate) const BAMBA: Family = Family {
    model_types: &["bamba"],
    source: "models/bamba, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(read),
    sizes: Sizes {
        inner: 14_336,
        vocabulary: 128_000,
        kv_heads: Some(8),
        head_dim: HeadDim::Divided,
        ..LLAMA.sizes
    },
    options: Options {
        biases: Biases::ATTENTION_AND_MLP,
        rotary_columns: RotaryColumns::Half,
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
        order: [Piece::Mlp, Piece::Norms, Piece::Mixer, Piece::Beside],
        ..LayerNames::LLAMA
    },
    // Parts.
    style: Style {
        returns_several: true,
        looks_for_padding: true,
        ..Style::LLAMA
    },
    layers: Parts {
        rotary_kind: RotaryKind::FirstColumns,
        gives_weights: true,
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V451,
    tasks: crate::model::CAUSAL_LM,
    generation: crate::model::Generation {
        caches: crate::model::Since::V5,
        ..crate::model::Generation::DECODER
    },
    // Support.
    liger: None,
    tensor_plan: &[],
    fixtures: Proof::of(&["lfm2_bamba.jsonl", "mamba2_before_5.jsonl"]),
    published: Proof::of(&[("bamba-9b", 9_780_235_392)]),
    ..LLAMA
};

/// The layers of `attn_layer_indices` attend.
fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let frame = reader::frame(family, fields);
    let attends = reader::named(frame.layers, "attn_layer_indices", fields);
    let attends = attends.unwrap_or_default();
    let mixers = Mixers {
        kinds: frame.kinds(&attends, Mixing::StateSpace),
        space: reader::state_space(frame.inner(fields), fields),
    };
    let width = reader::width(family, fields);
    reader::read(family, frame, width, mixers, fields)
}
