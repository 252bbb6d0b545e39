//! `xglm` (`models/xglm, transformers 5.23`).

use super::reader;
use crate::families::llama::LLAMA;
use crate::model::{
    Biases, DropoutFields, Family, Flag, HeadDim, MlpFunction, Options, Proof, Reader,
    RotaryColumns, Sizes, Style,
};

/// `xglm`.
pub(crate) const XGLM: Family = Family {
    model_types: &["xglm"],
    source: "models/xglm, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(reader::read_xglm),
    sizes: Sizes {
        hidden: 1024,
        inner: 4096,
        layers: 24,
        heads: 16,
        vocabulary: 256_008,
        head_dim: HeadDim::Divided,
        ..LLAMA.sizes
    },
    options: Options {
        tied: true,
        biases: Biases::attention(Flag::Always),
        rotary_columns: RotaryColumns::None,
        function: MlpFunction::Named("activation_function", "gelu"),
        dropout: DropoutFields {
            embedding: Some(("dropout", true)),
            attention: Some(("attention_dropout", true)),
            residual: Some(("dropout", true)),
            ..DropoutFields::NONE
        },
        ..Options::PLAIN
    },
    // Names.
    // Parts.
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    generation: crate::model::Generation {
        caches: crate::model::Since::Never,
        ..crate::model::Generation::DECODER
    },
    // Support.
    liger: None,
    attention_support: crate::families::gpt2::EAGER_ATTENTION,
    style: Style {
        blind_masks: true,
        ..LLAMA.style
    },
    fixtures: Proof::of(&["xglm.jsonl"]),
    published: Proof::of(&[
        ("xglm-564m", 564_463_616),
        ("xglm-1.7b", 1_732_907_008),
        ("xglm-2.9b", 2_941_505_536),
        ("xglm-4.5b", 4_552_511_488),
        ("xglm-7.5b", 7_492_771_840),
    ]),
    ..LLAMA
};
