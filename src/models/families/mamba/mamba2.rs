//! `mamba2` (`models/mamba2, transformers 5.23`).

use super::reader;
use crate::families::llama::LLAMA;
use crate::model::{
    Biases, ConfigFields, DecoderConfig, DropoutFields, Family, Flag, Options, Proof, Reader,
    RotaryColumns, Sizes,
};

/// `mamba2`.
pub(crate) const MAMBA2: Family = Family {
    model_types: &["mamba2"],
    source: "models/mamba2, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(read),
    sizes: Sizes {
        inner: 8192,
        layers: 64,
        heads: 1,
        vocabulary: 32_768,
        ..LLAMA.sizes
    },
    options: Options {
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
        positions: false,
        ..crate::model::Generation::DECODER
    },
    // Support.
    liger: None,
    training_cache: crate::model::CacheSupport::STATES,
    adapter_support: crate::model::AdapterSupport::WITHOUT_OUT_PROJ,
    fixtures: Proof::of(&["mamba2.jsonl", "mamba2_before_5.jsonl"]),
    published: Proof::of(&[("mamba-codestral-7b", 7_285_403_648)]),
    ..LLAMA
};

/// Its columns are divided among heads.
fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let mut config = reader::read(family, 128, fields);
    let heads = reader::heads(fields, config.intermediate_size, Some(128), 8);
    if let Some(space) = &mut config.state_space {
        space.heads = Some(heads);
    }
    config
}
