//! Fields of a `config.json` that decide something.

use crate::families::registry;
use serde_json::{Map, Value};

/// Fields of a config that readers ask for, a line each: the test of `config_fields` sees them ask, and writes it.
pub(super) const FIELDS: &str = include_str!("fields.txt");

/// How fields begin that are kept whatever follows.
const FAMILIES: [&str; 3] = ["linear_", "mamba_", "moe_"];

/// Fields that links have always kept, though they decide nothing.
const IDLE: [&str; 3] = ["is_encoder_decoder", "scale_embedding", "ssm_cfg"];

/// Whether a field is kept.
fn is_read(name: &str) -> bool {
    IDLE.contains(&name)
        || FIELDS.lines().any(|field| field == name)
        || FAMILIES.iter().any(|family| name.starts_with(family))
        || registry::maps_to(name)
}

/// The field of transformers 5 for facts of positions, and the part of it that is read.
const ROPE: &str = "rope_parameters";

const FACTOR: &str = "partial_rotary_factor";

/// The base of frequencies, which is null where there are none.
const THETA: &str = "rope_theta";

/// Layers that see all of an image, in a part that does not say its type.
const FULL_LAYERS: &str = "fullatt_block_indexes";

/// Names of labels, which are only counted.
const LABELS: &str = "id2label";

/// The fields of a config that decide something. A config of a type that is not supported is
/// kept whole, but for nested parts.
#[must_use]
pub fn essential_config(config: &Map<String, Value>) -> Map<String, Value> {
    let known = [
        config.get("model_type"),
        config
            .get("text_config")
            .and_then(|text| text.get("model_type")),
    ]
    .into_iter()
    .flatten()
    .any(|given| {
        given
            .as_str()
            .is_some_and(|name| registry::family(name).is_some())
    });
    essential(config, known)
}

/// The same, where it is known whether the type is supported.
fn essential(config: &Map<String, Value>, known: bool) -> Map<String, Value> {
    let kept = |name: &str, value: &Value| {
        if known {
            is_read(name)
                && name != LABELS
                && (name != ROPE
                    || value
                        .as_object()
                        .is_some_and(|rope| rope.iter().any(decides)))
        } else {
            let read = name == FULL_LAYERS || name == "text_config";
            read || !value.is_object() && !value.is_array()
        }
    };
    let fields = config.iter().filter(|(name, value)| kept(name, value));
    let labels = config.get(LABELS).and_then(Value::as_object);
    let counted = labels.filter(|_| known && !config.contains_key("num_labels"));
    let counted = counted.map(|labels| ("num_labels".to_owned(), Value::from(labels.len())));
    let shortened = fields.map(|(name, value)| {
        let value = match value {
            Value::Object(text) if ["text_config", "vision_config"].contains(&name.as_str()) => {
                Value::Object(essential_config(text))
            }
            Value::Object(stack) if ["encoder", "decoder"].contains(&name.as_str()) => {
                Value::Object(essential(stack, known))
            }
            // That there is one is all that is read.
            Value::Object(_) if name == "quantization_config" => Value::Bool(true),
            Value::Object(rope) if name == ROPE => {
                let kept = rope.iter().filter(|&field| decides(field));
                Value::Object(kept.map(|(k, v)| (k.clone(), v.clone())).collect())
            }
            other => other.clone(),
        };
        (name.clone(), value)
    });
    shortened.chain(counted).collect()
}

/// Whether a field of the rotary embeddings' parameters decides something.
fn decides((name, value): (&String, &Value)) -> bool {
    name == FACTOR || (name == THETA && value.is_null())
}
