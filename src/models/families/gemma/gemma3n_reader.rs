//! Fields of Gemma 3n's layers that those of other Gemmas lack (`models/gemma3n` of
//! transformers 5.23).

use super::layers::readers;
use crate::ask::{Finding, VOCABULARY, WIDTH, message};
use crate::model::ConfigFields;
use crate::model::{AltUp, GemmaLayers};
use serde_json::Value;
use std::ops::RangeInclusive;

/// As many streams as can be beside each other.
const STREAMS: RangeInclusive<u64> = 2..=64;

/// Layers at the end that share keys and values in a config that does not say how many.
const READERS: u64 = 15;

/// Layers at the beginning with sparse gates in a config that does not say which, if it has more.
const SPARSE: usize = 10;

/// Reads which layers share keys and values; `windowed` marks layers that see a window.
pub(crate) fn layers(
    head_dim: u64,
    kv_heads: u64,
    windowed: &[bool],
    fields: &mut ConfigFields<'_>,
) -> GemmaLayers {
    let count = windowed.len() as u64;
    let asked = fields.optional("num_kv_shared_layers", &(0..=count), READERS.min(count));
    GemmaLayers {
        full_head_dim: head_dim,
        full_kv_heads: kv_heads,
        keys_are_values: false,
        readers: readers(asked, windowed, fields),
        wide_readers: false,
        input_columns: fields.optional("hidden_size_per_layer_input", &WIDTH, 256),
        input_rows: fields.optional("vocab_size_per_layer_input", &VOCABULARY, 262_144),
    }
}

/// Reads the streams of a model of `layers` layers.
pub(crate) fn streams(layers: usize, fields: &mut ConfigFields<'_>) -> AltUp {
    check_range(fields);
    let first = if layers > SPARSE { SPARSE } else { 0 };
    let given = fields.get("activation_sparsity_pattern");
    let given = given.and_then(Value::as_array);
    let is_sparse = |layer: usize| match given {
        Some(shares) => shares.get(layer).and_then(Value::as_f64) > Some(0.0),
        None => layer < first,
    };
    AltUp {
        streams: fields.optional("altup_num_inputs", &STREAMS, 4),
        laurel_rank: fields.optional("laurel_rank", &WIDTH, 64),
        scales: fields.flag("altup_correct_scale", true),
        sparse: (0..layers).map(is_sparse).collect(),
    }
}

/// transformers takes a config without the range of coefficients, but none that says null.
fn check_range(fields: &mut ConfigFields<'_>) {
    const FIELD: &str = "altup_coef_clip";
    if fields.is_null(FIELD) {
        let key = fields.key(FIELD);
        fields.push(Finding::error(&key, message!(gemma::clip_null)).with_fix(&key, 120.0));
    }
}
