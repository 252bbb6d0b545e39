//! `gptj` (`models/gptj, transformers 5.23`).

use super::reader;
use crate::families::llama::LLAMA;
use crate::model::{
    Biases, Dropout, DropoutFields, Family, Flag, HeadDim, MlpFunction, Options, Proof, Reader,
    RotaryColumns, Sizes,
};

/// `gptj`.
pub(crate) const GPTJ: Family = Family {
    model_types: &["gptj"],
    source: "models/gptj, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(|family, fields| reader::read_wide(family, "n_head", fields)),
    sizes: Sizes {
        inner: 16_384,
        layers: 28,
        heads: 16,
        vocabulary: 50_400,
        head_dim: HeadDim::Divided,
        ..LLAMA.sizes
    },
    options: Options {
        biases: Biases::NONE,
        rotary_columns: RotaryColumns::Count("rotary_dim", 64),
        parallel_residual: Flag::Always,
        function: MlpFunction::Named("activation_function", "gelu_new"),
        dropout: DropoutFields {
            embedding: Some(("embd_pdrop", false)),
            attention: Some(("attn_pdrop", false)),
            residual: Some(("resid_pdrop", false)),
            modules: Dropout::ALL,
        },
        ..Options::PLAIN
    },
    // Names.
    // Parts.
    style: crate::model::Style {
        returns_several: true,
        ..crate::model::Style::LLAMA
    },
    // Programs.
    generation: crate::model::Generation {
        logits_to_keep: crate::model::LogitsToKeep::Since(crate::model::Since::V5),
        caches_in_4: [crate::model::CacheIn4::Returned; 2],
        ..crate::model::Generation::DECODER
    },
    // Support.
    liger: None,
    attention_support: crate::families::gpt2::EAGER_OR_FLASH,
    fixtures: Proof::of(&["gpt_neo_gptj_codegen.jsonl"]),
    published: Proof::of(&[("gpt-j-6b", 6_050_882_784)]),
    ..LLAMA
};
