//! `gpt_neo` (`models/gpt_neo, transformers 5.23`).

use super::reader;
use crate::ask::{Finding, message};
use crate::families::llama::LLAMA;
use crate::model::{
    Biases, ConfigFields, DecoderConfig, Dropout, DropoutFields, Family, HeadDim, MlpFunction,
    Options, Proof, Reader, RotaryColumns, Sizes,
};
use serde_json::{Value, json};

/// `gpt_neo`.
pub(crate) const GPT_NEO: Family = Family {
    model_types: &["gpt_neo"],
    source: "models/gpt_neo, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(read),
    sizes: Sizes {
        hidden: 2048,
        inner: 8192,
        layers: 24,
        heads: 16,
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
            embedding: Some(("embed_dropout", false)),
            residual: Some(("resid_dropout", false)),
            modules: Dropout::ALL,
            ..DropoutFields::ATTENTION
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
    published: Proof::of(&[
        ("gpt-neo-125m", 125_198_592),
        ("gpt-neo-1.3b", 1_315_575_808),
        ("gpt-neo-2.7b", 2_651_307_520),
    ]),
    ..LLAMA
};

/// A list says how each layer attends.
fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let config = reader::read_wide(family, "num_heads", fields);
    check_attention_types(config.num_hidden_layers, fields);
    config
}

/// `attention_types` of GPT-Neo must name the attention of as many layers as there are
/// (`configuration_gpt_neo.py`, transformers 5.23, 4.51 and 4.48). Without it there are 24.
fn check_attention_types(layers: u64, fields: &mut ConfigFields<'_>) {
    const FIELD: &str = "attention_types";
    let of_item = |item: &Value| {
        let kinds = item.get(0).and_then(Value::as_array).map_or(0, Vec::len);
        let times = item.get(1).and_then(Value::as_u64).unwrap_or(0);
        times.saturating_mul(kinds as u64)
    };
    let given = fields.get(FIELD).and_then(Value::as_array);
    let named = given.map(|items| items.iter().map(of_item).fold(0, u64::saturating_add));
    let count = named.unwrap_or(24);
    if count == layers {
        return;
    }
    let mut fitting = vec![json!([["global", "local"], layers / 2])];
    if layers % 2 == 1 {
        fitting.push(json!([["global"], 1]));
    }
    let key = fields.key(FIELD);
    fields.push(
        Finding::error(&key, message!(gpt2::neo_attention_types, count, layers))
            .with_fix(&key, fitting),
    );
}
