//! `biogpt` (`models/biogpt, transformers 5.23`).

use super::reader;
use crate::families::llama::LLAMA;
use crate::model::{
    Biases, DropoutFields, Family, Flag, HeadDim, LayerNames, MlpFunction, Options, Proof, Reader,
    RotaryColumns, Sizes, Style,
};

/// `biogpt`.
pub(crate) const BIOGPT: Family = Family {
    model_types: &["biogpt"],
    source: "models/biogpt, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(reader::read_biogpt),
    sizes: Sizes {
        hidden: 1024,
        inner: 4096,
        layers: 24,
        heads: 16,
        vocabulary: 42_384,
        head_dim: HeadDim::Divided,
        ..LLAMA.sizes
    },
    options: Options {
        tied: true,
        biases: Biases::attention(Flag::Always),
        rotary_columns: RotaryColumns::None,
        function: MlpFunction::Named("hidden_act", "gelu"),
        dropout: DropoutFields {
            embedding: Some(("hidden_dropout_prob", true)),
            attention: Some(("attention_probs_dropout_prob", true)),
            residual: Some(("hidden_dropout_prob", true)),
            ..DropoutFields::NONE
        },
        ..Options::PLAIN
    },
    // Names.
    base_model: "biogpt",
    names: LayerNames {
        head: "output_projection",
        head_in_4: "output_projection",
        ..LayerNames::LLAMA
    },
    // Parts.
    // Programs.
    since: crate::model::Since::V5,
    // Support.
    liger: None,
    style: Style {
        blind_masks: true,
        ..LLAMA.style
    },
    fixtures: Proof::of(&["further_decoders.jsonl"]),
    published: Proof::of(&[("biogpt", 346_763_264)]),
    ..LLAMA
};
