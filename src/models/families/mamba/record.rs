//! `mamba` (`models/mamba, transformers 5.23`).

use super::reader;
use crate::families::llama::LLAMA;
use crate::model::{
    Biases, DropoutFields, Family, Flag, Options, Proof, Reader, RotaryColumns, Sizes,
};

/// `mamba`.
pub(crate) const MAMBA: Family = Family {
    model_types: &["mamba"],
    source: "models/mamba, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(|family, fields| reader::read(family, 16, fields)),
    sizes: Sizes {
        hidden: 768,
        inner: 1536,
        heads: 1,
        vocabulary: 50_280,
        ..LLAMA.sizes
    },
    options: Options {
        tied: true,
        biases: Biases::attention(Flag::Said("use_bias", false)),
        rotary_columns: RotaryColumns::None,
        dropout: DropoutFields::NONE,
        ..Options::PLAIN
    },
    // Names.
    // Parts.
    // Programs.
    tasks: crate::model::CAUSAL_LM,
    generation: crate::model::Generation {
        caches: crate::model::Since::V5,
        logits_to_keep: crate::model::LogitsToKeep::Since(crate::model::Since::V5),
        positions: false,
        ..crate::model::Generation::DECODER
    },
    // Support.
    liger: None,
    training_cache: crate::model::CacheSupport::STATES,
    adapter_support: crate::model::AdapterSupport {
        check: Some(super::support::check_time_steps),
        ..crate::model::AdapterSupport::WITHOUT_OUT_PROJ
    },
    fixtures: Proof::of(&["mamba.jsonl"]),
    published: Proof::of(&[
        ("mamba-130m", 129_135_360),
        ("mamba-370m", 371_516_416),
        ("mamba-790m", 793_204_224),
        ("mamba-1.4b", 1_372_178_432),
        ("mamba-2.8b", 2_768_345_600),
    ]),
    ..LLAMA
};
