//! Lists and objects as short readable texts: `a,b` and `x:1,y:true`. Whatever those cannot say
//! is written as JSON instead, so that everything can be said.

use serde_json::{Map, Value};

/// A list of texts.
pub(super) fn write_list(items: &[Value]) -> String {
    let texts: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
    let flat = texts.join(",");
    let all = Value::Array(items.to_vec());
    if read_list(&flat).as_ref() == Some(&all) {
        flat
    } else {
        all.to_string()
    }
}

/// The inverse of [`write_list`].
pub(super) fn read_list(text: &str) -> Option<Value> {
    if text.starts_with('[') {
        return serde_json::from_str(text).ok();
    }
    let items = text.split(',').filter(|item| !item.is_empty());
    Some(items.map(Value::from).collect())
}

/// Fields of an object.
pub(super) fn write_fields(fields: &Map<String, Value>) -> String {
    let flat = fields
        .iter()
        .map(|(name, value)| match value {
            Value::String(text) => format!("{name}:{text}"),
            other => format!("{name}:{other}"),
        })
        .collect::<Vec<_>>()
        .join(",");
    if read_fields(&flat).as_ref() == Some(fields) {
        flat
    } else {
        Value::Object(fields.clone()).to_string()
    }
}

/// The inverse of [`write_fields`].
pub(super) fn read_fields(text: &str) -> Option<Map<String, Value>> {
    if text.starts_with('{') {
        return serde_json::from_str(text).ok();
    }
    let mut fields = Map::new();
    for item in text.split(',').filter(|item| !item.is_empty()) {
        let (name, value) = item.split_once(':')?;
        fields.insert(name.to_owned(), scalar(value));
    }
    Some(fields)
}

/// A number, a truth value or null; everything else is a text.
fn scalar(text: &str) -> Value {
    match serde_json::from_str(text) {
        Ok(value @ (Value::Number(_) | Value::Bool(_) | Value::Null)) => value,
        _ => Value::from(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn plain_lists_and_objects_are_readable() {
        assert_eq!(write_list(&[json!("a"), json!("b")]), "a,b");
        let fields = json!({"model_type": "llama", "hidden_size": 64, "bias": false});
        let flat = write_fields(fields.as_object().expect("an object"));
        assert_eq!(flat, "bias:false,hidden_size:64,model_type:llama");
    }

    #[test]
    fn everything_can_be_said() {
        for list in [
            json!([]),
            json!([""]),
            json!(["a,b"]),
            json!(["[x"]),
            json!(["显存", "b"]),
        ] {
            let items = list.as_array().expect("a list");
            assert_eq!(read_list(&write_list(items)), Some(list.clone()));
        }
        for object in [
            json!({}),
            json!({"a": "1"}),
            json!({"a": "x,y"}),
            json!({"a:b": 1}),
            json!({"": 1}),
            json!({"{": "true"}),
            json!({"a": [1, {"b": null}], "c": 1.5e-5}),
        ] {
            let fields = object.as_object().expect("an object");
            assert_eq!(read_fields(&write_fields(fields)).as_ref(), Some(fields));
        }
    }
}
