//! Attention among the layers of a model of flash-linear-attention: `attn` of its config
//! (`AttentionSpec`, `fla/models/configuration_utils.py` of flash-linear-attention 0.6.0).

use crate::ask::{Finding, HEADS, message};
use crate::model::FlaAttention;
use crate::model::{ConfigFields, shortened};
use serde_json::{Map, Value};

/// The options of `attn`: one object, or several for different layers.
pub(crate) fn of_layers(
    fields: &mut ConfigFields<'_>,
    hidden: u64,
    num_hidden_layers: u64,
) -> Vec<FlaAttention> {
    let Some(given) = fields.get("attn") else {
        return Vec::new();
    };
    let key = fields.key("attn");
    let parts: Vec<&Map<String, Value>> = match given {
        Value::Object(part) => vec![part],
        Value::Array(parts) => parts.iter().filter_map(Value::as_object).collect(),
        _ => Vec::new(),
    };
    let nothing = Map::new();
    let mut all: Vec<FlaAttention> = Vec::new();
    for part in parts {
        let of_part = |layer: &Value| layer.as_u64().filter(|&layer| layer < num_hidden_layers);
        let given = part.get("layers").and_then(Value::as_array);
        let layers: Option<Vec<u64>> = given.and_then(|all| all.iter().map(of_part).collect());
        let taken = |layer: &u64| all.iter().any(|other| other.layers.contains(layer));
        let Some(layers) = layers.filter(|layers| !layers.iter().any(taken)) else {
            fields.push(wrong_layers(&key, part, num_hidden_layers));
            continue;
        };
        let mut own = ConfigFields::new(part, &nothing, "model.hf_config.attn");
        let num_heads = own.required("num_heads", &HEADS, 32);
        all.push(read(&mut own, hidden, layers, num_heads));
        for finding in own.into_findings() {
            fields.push(finding);
        }
    }
    all
}

/// Attention of `layers` with `num_heads` heads; the other options as `fields` say.
pub(crate) fn read(
    fields: &mut ConfigFields<'_>,
    hidden: u64,
    layers: Vec<u64>,
    num_heads: u64,
) -> FlaAttention {
    fields.divided(hidden, num_heads, "num_heads");
    FlaAttention {
        layers,
        num_heads,
        num_kv_heads: fields.shared_by("num_kv_heads", num_heads, num_heads),
        qkv_bias: fields.flag("qkv_bias", false),
        qk_norm: fields.flag("qk_norm", false),
    }
}

fn wrong_layers(key: &str, part: &Map<String, Value>, num_hidden_layers: u64) -> Finding {
    let shown = part
        .get("layers")
        .map_or_else(|| "null".to_owned(), shortened);
    let last = num_hidden_layers - 1;
    Finding::error(key, message!(fla::attention_layers, shown, last)).with_fix(key, Value::Null)
}
