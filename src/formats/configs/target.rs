//! The target of an export, and trees of keys by dotted paths.

use super::job::Models;
use serde_json::{Map, Value};

/// The target of an export.
pub struct Target<'a> {
    /// All values of the scenario, defaults included.
    pub values: &'a Value,
    /// The model's repository on the hub, where it has one.
    pub repository: Option<&'a str>,
    /// The model's config, where it is known.
    pub config: Option<&'a Map<String, Value>>,
    /// Completes a scenario that says only some values.
    pub complete: &'a dyn Fn(&Value) -> Value,
    /// Completes a scenario as it is estimated, without settings that are refused beside the rest.
    pub estimated: &'a dyn Fn(&Value) -> Value,
    /// Facts of models.
    pub models: &'a dyn Models,
    /// Lines that come before the rest, where the format has comments.
    pub comment: &'a [String],
}

/// The value at a dotted path; null where there is none.
pub(super) fn at<'a>(values: &'a Value, path: &str) -> &'a Value {
    path.split('.').fold(values, |node, part| &node[part])
}

/// Puts a value at a dotted key, making objects on the way.
pub(super) fn put(map: &mut Map<String, Value>, key: &str, value: Value) {
    match key.split_once('.') {
        None => _ = map.insert(key.to_owned(), value),
        Some((first, rest)) => {
            let inner = map
                .entry(first)
                .or_insert_with(|| Value::Object(Map::new()));
            if !inner.is_object() {
                *inner = Value::Object(Map::new());
            }
            if let Value::Object(inner) = inner {
                put(inner, rest, value);
            }
        }
    }
}
