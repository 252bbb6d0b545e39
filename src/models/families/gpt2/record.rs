//! `gpt2` (`models/gpt2, transformers 5.23`).

use super::reader;
use crate::families::llama::LLAMA;
use crate::model::{
    Biases, Dropout, DropoutFields, Family, HeadDim, LayerNames, MlpFunction, Options, Proof,
    Reader, RotaryColumns, Sizes,
};

/// `gpt2`.
pub(crate) const GPT2: Family = Family {
    model_types: &["gpt2", "gpt-sw3"],
    source: "models/gpt2, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(reader::read),
    sizes: Sizes {
        hidden: 768,
        inner: 3072,
        layers: 12,
        heads: 12,
        vocabulary: 50_257,
        head_dim: HeadDim::Divided,
        ..LLAMA.sizes
    },
    options: Options {
        tied: true,
        biases: Biases::NONE,
        rotary_columns: RotaryColumns::None,
        function: MlpFunction::Named("activation_function", "gelu_new"),
        dropout: DropoutFields {
            embedding: Some(("embd_pdrop", true)),
            attention: Some(("attn_pdrop", true)),
            residual: Some(("resid_pdrop", true)),
            modules: Dropout::ALL,
        },
        ..Options::PLAIN
    },
    // Names.
    names: LayerNames {
        model: "transformer",
        embedding: "wte",
        last_norm: "ln_f",
        ..LayerNames::LLAMA
    },
    // Parts.
    // Programs.
    generation: crate::model::Generation {
        logits_to_keep: crate::model::LogitsToKeep::Since(crate::model::Since::V5),
        caches_in_4: [crate::model::CacheIn4::Tuples; 2],
        ..crate::model::Generation::DECODER
    },
    // Support.
    liger: None,
    fixtures: Proof::of(&["gpt2.jsonl"]),
    published: Proof::of(&[
        ("cerebras-gpt-13b", 12_853_386_240),
        ("cerebras-gpt-6.7b", 6_658_404_352),
        ("cerebras-gpt-2.7b", 2_651_553_280),
        ("cerebras-gpt-1.3b", 1_315_723_264),
        ("cerebras-gpt-111m", 111_050_496),
        ("gpt2", 124_439_808),
        ("gpt2-medium", 354_823_168),
        ("gpt2-large", 774_030_080),
        ("gpt2-xl", 1_557_611_200),
        ("distilgpt2", 81_912_576),
    ]),
    ..LLAMA
};
