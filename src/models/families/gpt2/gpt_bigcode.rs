//! `gpt_bigcode` (`models/gpt_bigcode, transformers 5.23`).

use super::reader;
use crate::families::llama::LLAMA;
use crate::model::{
    Biases, ConfigFields, DecoderConfig, Dropout, DropoutFields, Family, HeadDim, MlpFunction,
    Options, Proof, Reader, RotaryColumns, Sizes,
};

/// `gpt_bigcode`.
pub(crate) const GPT_BIGCODE: Family = Family {
    model_types: &["gpt_bigcode"],
    source: "models/gpt_bigcode, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(read),
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
        function: MlpFunction::Named("activation_function", "gelu_pytorch_tanh"),
        dropout: DropoutFields {
            embedding: Some(("embd_pdrop", true)),
            attention: Some(("attn_pdrop", true)),
            residual: Some(("resid_pdrop", true)),
            modules: Dropout::BESIDE_ATTENTION,
        },
        ..Options::PLAIN
    },
    // Names.
    // Parts.
    // Programs.
    generation: crate::model::Generation {
        generates: crate::model::Since::V5,
        logits_to_keep: crate::model::LogitsToKeep::Since(crate::model::Since::V5),
        ..crate::model::Generation::DECODER
    },
    // Support.
    liger: None,
    attention_support: crate::model::AttentionSupport {
        masked: crate::model::Versions::Before5,
        check: Some(super::support::check),
        ..crate::model::AttentionSupport::ALL
    },
    training_cache: crate::model::CacheSupport {
        checkpointed: crate::model::Versions::Before5,
        ..crate::model::CacheSupport::USUAL
    },
    fixtures: Proof::of(&["gpt_bigcode.jsonl"]),
    published: Proof::of(&[
        ("starcoder-15b", 15_517_456_384),
        ("starcoderbase-1b", 1_137_207_296),
        ("santacoder-1.1b", 1_124_886_528),
    ]),
    ..LLAMA
};

/// All heads can share one of keys and values.
fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let mut config = reader::read(family, fields);
    if fields.flag("multi_query", true) {
        config.num_key_value_heads = 1;
    }
    config
}
