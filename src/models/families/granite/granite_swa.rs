//! `granite_swa` (`models/granite_swa, transformers 5.23`).

use crate::ask::{Finding, message};
use crate::families::llama::LLAMA;
use crate::families::llama::kin;
use crate::model::{
    Biases, ConfigFields, DecoderConfig, EmbeddingScale, Family, Masks, Options, Parts, Proof,
    Reader, Sinks, Sizes, Style, Window, WindowLayers, WindowOn,
};
use serde_json::Value;

/// `granite_swa`.
pub(crate) const GRANITE_SWA: Family = Family {
    model_types: &["granite_swa"],
    source: "models/granite_swa, transformers 5.23",
    // Sizes and options.
    read: Reader::Decoder(read),
    sizes: Sizes {
        hidden: 2560,
        inner: 8192,
        layers: 24,
        heads: 20,
        vocabulary: 100_352,
        kv_heads: Some(4),
        null_is_unshared: true,
        ..LLAMA.sizes
    },
    options: Options {
        tied: true,
        biases: Biases::ATTENTION_AND_MLP,
        ..Options::PLAIN
    },
    window: Window {
        on: WindowOn::Needed,
        layers: WindowLayers::AfterEvery(4),
        width: 128,
        ..Window::NONE
    },
    // Names.
    // Parts.
    style: Style {
        embedding_scale: EmbeddingScale::Number,
        scaled_logits: true,
        masks: Masks::Both,
        ..Style::LLAMA
    },
    layers: Parts {
        multiplied: true,
        sinks: Some(Sinks::Scale),
        ..Parts::LLAMA
    },
    // Programs.
    since: crate::model::Since::V5,
    tasks: crate::model::CAUSAL_LM,
    // Support.
    liger: None,
    plain_logits: false,
    attention_support: crate::model::AttentionSupport::SINKS,
    tensor_plan: &[],
    fixtures: Proof::of(&["granite_swa.jsonl"]),
    published: Proof::NONE,
    ..LLAMA
};

/// Each layer can be rotated by a base of its own.
pub(super) fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let mut config = kin::read(family, fields);
    config.bases = bases(config.num_hidden_layers, fields);
    config.unturned = config.bases.iter().map(Option::is_none).collect();
    config
}

/// For each layer, which of the distinct bases of `layer_rope_theta` it is rotated
/// by, in the order of their size; none where that is 0.
fn bases(layers: u64, fields: &mut ConfigFields<'_>) -> Vec<Option<usize>> {
    const FIELD: &str = "layer_rope_theta";
    let Some(given) = fields.get(FIELD).and_then(Value::as_array) else {
        return (0..layers).map(|_| Some(0)).collect();
    };
    let count = given.len();
    if (count as u64) < layers {
        let key = fields.key(FIELD);
        fields.push(
            Finding::error(
                &key,
                message!(granite::too_few_bases, field = FIELD, count, layers),
            )
            .with_fix(&key, Value::Null),
        );
    }
    let listed: Vec<f64> = given.iter().filter_map(Value::as_f64).collect();
    let mut distinct: Vec<f64> = listed.iter().copied().filter(|&base| base != 0.0).collect();
    distinct.sort_by(f64::total_cmp);
    distinct.dedup();
    let place = |base: &f64| {
        distinct
            .binary_search_by(|other| other.total_cmp(base))
            .ok()
    };
    listed.iter().map(place).collect()
}
