//! Scenario JSON.

use super::keys::{KEYS, WITHOUT_MEMORY};
use super::meant::finish;
use super::tree::{Builder, differing, put, shortened};
use crate::ask::{ActivationCheckpointing, Finding, Scenario, Severity, closest, message};
use serde_json::{Map, Value};
use std::borrow::Cow;

/// The key whose value may be an object, which then says what `recompute` or `selective` says.
const ALSO_RECOMPUTE: &str = "activation_checkpointing";

/// Reads JSON, and what Python's `json` writes beyond it: `NaN`, `Infinity` and `-Infinity` are null.
///
/// # Errors
/// The error that the parser finds, and its position.
pub fn parse_json(text: &str) -> serde_json::Result<Value> {
    serde_json::from_str(&finite(text))
}

/// The text with null for numbers that are none, outside of strings.
fn finite(text: &str) -> Cow<'_, str> {
    const NONE: [&str; 3] = ["-Infinity", "Infinity", "NaN"];
    if !NONE.iter().any(|word| text.contains(word)) {
        return text.into();
    }
    let mut written = String::with_capacity(text.len());
    let (mut rest, mut quoted) = (text, false);
    while let Some(next) = rest.chars().next() {
        let word = NONE.iter().find(|word| !quoted && rest.starts_with(**word));
        if let Some(word) = word {
            written.push_str("null");
            rest = &rest[word.len()..];
            continue;
        }
        let escaped = quoted && next == '\\';
        let length = next.len_utf8();
        let after = rest[length..].chars().next().filter(|_| escaped);
        let taken = length + after.map_or(0, char::len_utf8);
        written.push_str(&rest[..taken]);
        rest = &rest[taken..];
        quoted ^= next == '"';
    }
    written.into()
}

/// Reads scenario JSON. What cannot be read is reported and left at its default.
pub fn decode_json(text: &str) -> (Scenario, Vec<Finding>) {
    match parse_json(text) {
        Ok(Value::Object(map)) => decode_object(&map),
        Ok(_) => (Scenario::default(), vec![not_an_object()]),
        Err(error) => (Scenario::default(), vec![not_json(&error)]),
    }
}

/// Reads an object that says what a scenario says.
pub(super) fn decode_object(map: &Map<String, Value>) -> (Scenario, Vec<Finding>) {
    let mut builder = Builder::new(Severity::Error);
    if let Some(version) = map.get("v") {
        builder.set_version(version);
    }
    read_level(map, "", &mut builder);
    finish(builder)
}

/// Writes what differs from the default, with the format's version.
pub fn encode_json(scenario: &Scenario) -> String {
    let mut tree = Value::Object(Map::new());
    put(&mut tree, "v", scenario.v.into());
    for (key, value) in differing(scenario) {
        put(&mut tree, key.path, value);
    }
    tree.to_string()
}

/// Reads the keys of one object; `above` is its path with a dot, or empty.
fn read_level(map: &Map<String, Value>, above: &str, builder: &mut Builder) {
    for (name, value) in map {
        let path = format!("{above}{name}");
        let inner = format!("{path}.");
        if path == "v" {
            // It was read before all others.
            continue;
        }
        if let (ALSO_RECOMPUTE, Value::Object(map)) = (path.as_str(), value) {
            read_recomputation(map, builder);
        } else if let Some(key) = KEYS.iter().find(|key| key.path == path) {
            if value.is_null() {
                builder.clear(key.path);
            } else {
                builder.set(key.path, key.kind, value);
            }
        } else if KEYS.iter().any(|key| key.path.starts_with(&inner)) {
            match value {
                Value::Object(map) => {
                    start_group(&path, builder);
                    read_level(map, &inner, builder);
                }
                Value::Null => {}
                _ => builder.push(|| not_a_group(&path)),
            }
        } else {
            builder.push(|| unknown(&path, above));
        }
    }
}

/// Reads recomputation in backward: operation by operation, or as Megatron-Core has it.
fn read_recomputation(map: &Map<String, Value>, builder: &mut Builder) {
    const GRANULARITY: &str = "granularity";
    let granularity = map.get(GRANULARITY).unwrap_or(&Value::Null);
    if granularity != ActivationCheckpointing::Operations.name() {
        return read_level(map, "recompute.", builder);
    }
    if let Some(key) = KEYS.iter().find(|key| key.path == ALSO_RECOMPUTE) {
        builder.set(key.path, key.kind, granularity);
    }
    let mut rest = map.clone();
    rest.remove(GRANULARITY);
    read_level(&rest, "selective.", builder);
}

/// Groups that ask for something by being there, even when they are empty.
fn start_group(path: &str, builder: &mut Builder) {
    match path {
        "lora" => builder.start_lora(),
        "parallelism.dp.zero_redundancy_optimizer" => builder.start_zero_redundancy_optimizer(),
        _ => {}
    }
}

fn unknown(path: &str, above: &str) -> Finding {
    let shown = shortened(path);
    if WITHOUT_MEMORY.contains(&path) {
        return Finding::notice(path, message!(codec::without_memory, shown));
    }
    // A name of the same object comes first, one of another object second.
    let siblings = KEYS
        .iter()
        .filter_map(|key| key.path.strip_prefix(above))
        .filter_map(|rest| rest.split('.').next());
    let name = path.strip_prefix(above).unwrap_or(path);
    let nearest = closest(name, siblings)
        .map(|sibling| format!("{above}{sibling}"))
        .or_else(|| {
            let last = |path: &'static str| path.rsplit('.').next().unwrap_or(path);
            let found = closest(name, KEYS.iter().map(|key| last(key.path)))?;
            KEYS.iter()
                .find(|key| last(key.path) == found)
                .map(|key| key.path.to_owned())
        });
    let hint = nearest.map(|nearest| message!(codec::did_you_mean, nearest));
    Finding::warning(path, message!(codec::unknown_key, shown, hint))
}

fn not_a_group(path: &str) -> Finding {
    Finding::error(path, message!(codec::not_a_group, path)).with_fix(path, Value::Null)
}

fn not_an_object() -> Finding {
    Finding::error("", message!(codec::not_an_object))
}

pub(super) fn not_json(error: &serde_json::Error) -> Finding {
    let (line, column) = (error.line(), error.column());
    Finding::error("", message!(codec::not_json, error, line, column))
}
