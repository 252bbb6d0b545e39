//! `falcon_mamba` (`models/falcon_mamba, transformers 5.23`).

use super::reader;
use crate::families::llama::LLAMA;
use crate::model::{
    Biases, ConfigFields, DecoderConfig, DropoutFields, Family, Flag, InnerNorms, Options, Proof,
    Reader, RotaryColumns, Sizes,
};

/// `falcon_mamba`.
pub(crate) const FALCON_MAMBA: Family = Family {
    model_types: &["falcon_mamba"],
    source: "models/falcon_mamba, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(read),
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
    adapter_support: crate::model::AdapterSupport::WITHOUT_OUT_PROJ,
    fixtures: Proof::of(&["mamba2.jsonl"]),
    published: Proof::of(&[("falcon-mamba-7b", 7_272_665_088)]),
    ..LLAMA
};

/// Time steps, B and C are normalized.
fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let mut config = reader::read(family, 16, fields);
    if let Some(space) = &mut config.state_space {
        space.inner_norms = InnerNorms::Bare;
    }
    config
}
