//! `phi` (`models/phi, transformers 5.23`).

use super::reader;
use crate::families::llama::LLAMA;
use crate::model::{
    Biases, Dropout, DropoutFields, Family, Flag, HeadDim, LayerNames, NormKind, Options, Proof,
    Reader, RotaryColumns, Sizes, Style,
};

/// `phi`.
pub(crate) const PHI: Family = Family {
    model_types: &["phi"],
    source: "models/phi, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(reader::read),
    sizes: Sizes {
        hidden: 2048,
        inner: 8192,
        layers: 24,
        vocabulary: 51_200,
        head_dim: HeadDim::Divided,
        ..LLAMA.sizes
    },
    options: Options {
        biases: Biases::attention(Flag::Always),
        head_norms: Flag::Said("qk_layernorm", false),
        parallel_residual: Flag::Always,
        rotary_columns: RotaryColumns::Share("partial_rotary_factor", 500),
        dropout: DropoutFields {
            embedding: Some(("embd_pdrop", false)),
            residual: Some(("resid_pdrop", false)),
            modules: Dropout::BESIDE_ATTENTION,
            ..DropoutFields::ATTENTION
        },
        ..Options::PLAIN
    },
    // Names.
    names: LayerNames {
        last_norm: "final_layernorm",
        ..LayerNames::LLAMA
    },
    // Parts.
    style: Style {
        norm: NormKind::Layer,
        head_bias: true,
        ..Style::LLAMA
    },
    // Programs.
    // Support.
    liger: None,
    fixtures: Proof::of(&["phi.jsonl"]),
    published: Proof::of(&[("phi-1.5", 1_418_270_720), ("phi-2", 2_779_683_840)]),
    ..LLAMA
};
