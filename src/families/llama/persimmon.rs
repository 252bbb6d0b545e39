//! `persimmon` (`models/persimmon, transformers 5.23`).

use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{
    Activation, Biases, DecoderType, DropoutFields, Family, Flag, MlpFunction, Options, Reader,
    RotaryColumns, Sizes,
};

/// `persimmon`.
pub(crate) const PERSIMMON: Family = Family {
    model_types: &["persimmon"],
    source: "models/persimmon, transformers 5.23",
    decoder: Some(DecoderType::Persimmon),
    // Sizes and options.
    read: Reader::Decoder(kin::read),
    sizes: Sizes {
        inner: 16_384,
        layers: 36,
        heads: 64,
        vocabulary: 262_144,
        ..LLAMA.sizes
    },
    options: Options {
        biases: Biases::all(Flag::Always),
        head_norms: Flag::Said("qk_layernorm", true),
        function: MlpFunction::Fixed("hidden_act", &["relu2"], Activation::Relu2),
        rotary_columns: RotaryColumns::Share("partial_rotary_factor", 500),
        dropout: DropoutFields {
            residual: Some(("hidden_dropout", false)),
            ..DropoutFields::ATTENTION
        },
        ..Options::PLAIN
    },
    // Names.
    // Parts.
    // Programs.
    // Support.
    fixtures: &["further_decoders.jsonl"],
    published: &[("persimmon-8b", 9_397_175_296)],
    ..LLAMA
};
