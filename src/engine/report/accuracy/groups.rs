//! The groups a case belongs to: family and options.

use serde_json::{Map, Value};

/// Keys that say how much, not what.
const SIZES: [&str; 5] = ["v", "micro_batch_size", "seq_len", "target_seq_len", "task"];

/// The groups of a case, as `key=value`, from the scenario as it is written.
pub(super) fn groups(scenario: &Value) -> Vec<String> {
    let empty = Map::new();
    let keys = scenario.as_object().unwrap_or(&empty);
    let mut groups = Vec::new();
    for (key, value) in keys {
        match (key.as_str(), value) {
            (size, _) if SIZES.contains(&size) => {}
            ("optimizer", Value::Object(optimizer)) => groups.push(optimizer_group(optimizer)),
            ("lora", Value::Object(lora)) => {
                let dropout = lora.contains_key("dropout");
                groups.push(format!("lora={}", if dropout { "dropout" } else { "yes" }));
            }
            ("model" | "allocator", Value::Object(map)) => {
                groups.extend(map.iter().map(|(k, v)| match v {
                    Value::Object(_) => format!("{key}={k}"),
                    other => format!("{key}.{k}={}", plain(other)),
                }));
            }
            // Of some, what matters is what they are called.
            ("packing" | "activation_offload" | "objective", Value::Object(map)) => {
                groups.extend(map.get("kind").map(|kind| format!("{key}={}", plain(kind))));
            }
            ("around", Value::Object(map)) => {
                let around = map.iter().map(|(k, v)| format!("{key}.{k}={}", plain(v)));
                groups.extend(around);
            }
            ("activation_checkpointing", Value::Object(map)) => {
                let how = map.get("granularity");
                groups.extend(how.map(|how| format!("{key}={}", plain(how))));
            }
            (_, value) => groups.push(format!("{key}={}", plain(value))),
        }
    }
    groups
}

fn optimizer_group(optimizer: &Map<String, Value>) -> String {
    let mut words: Vec<String> = ["name", "impl"]
        .iter()
        .filter_map(|key| optimizer.get(*key).map(plain))
        .collect();
    let options = optimizer
        .keys()
        .filter(|key| !matches!(key.as_str(), "name" | "impl"));
    words.extend(options.cloned());
    format!("optimizer={}", words.join("/"))
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A case in one short line.
pub(super) fn summary(scenario: &Value) -> String {
    let size = |key| scenario.get(key).map_or("?".to_owned(), plain);
    let words: Vec<String> = groups(scenario)
        .into_iter()
        .map(|group| match group.split_once('=') {
            Some(("model" | "precision" | "optimizer" | "attention", value)) => value.to_owned(),
            _ => group,
        })
        .collect();
    format!(
        "{}x{} {}",
        size("micro_batch_size"),
        size("seq_len"),
        words.join(" ")
    )
}
