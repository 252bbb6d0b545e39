//! `public/scenario.schema.json` describes the format that is read: same keys, kinds, names and
//! defaults, and a description for each.

use highwater::ask::{SCENARIO_VERSION, Scenario};
use highwater::codec::{KEYS, Kind};
use highwater::text::{Language, setting_name};
use serde_json::{Map, Value, json};

fn published() -> Value {
    serde_json::from_str(include_str!("../public/scenario.schema.json")).expect("JSON")
}

/// The schema of a kind.
fn described(kind: Kind) -> Value {
    match kind {
        Kind::Model => json!({"$ref": "#/$defs/model"}),
        Kind::Count | Kind::Tokens | Kind::Bytes => json!({"type": "integer", "minimum": 0}),
        Kind::Real => json!({"type": "number"}),
        Kind::Flag => json!({"type": "boolean"}),
        Kind::Name(all) => json!({"enum": all()}),
        Kind::Text => json!({"type": "string"}),
        Kind::List => json!({"type": "array", "items": {"type": "string"}}),
        Kind::Fields => json!({"type": "object"}),
        Kind::Lengths => json!({"$ref": "#/$defs/lengths"}),
        Kind::Divisions | Kind::Sides => json!({"type": ["integer", "string"], "minimum": 0}),
    }
}

/// The schema's properties as the table of keys has them, without descriptions.
fn expected() -> Map<String, Value> {
    let defaults = serde_json::to_value(Scenario::default()).expect("a scenario");
    let mut properties = Map::new();
    properties.insert("v".to_owned(), json!({"const": SCENARIO_VERSION}));
    for key in KEYS {
        let mut property = described(key.kind);
        let default = key
            .path
            .split('.')
            .fold(&defaults, |node, part| &node[part]);
        if !default.is_null() {
            property["default"] = default.clone();
        }
        place(&mut properties, key.path, property);
    }
    properties
}

/// Puts a property where its dotted path says.
fn place(properties: &mut Map<String, Value>, path: &str, property: Value) {
    let Some((group, rest)) = path.split_once('.') else {
        properties.insert(path.to_owned(), property);
        return;
    };
    let group = properties
        .entry(group)
        .or_insert_with(|| json!({"type": "object", "properties": {}}));
    let inner = group["properties"].as_object_mut().expect("properties");
    place(inner, rest, property);
}

/// Takes the descriptions out of a schema, each of which must say something.
fn without_descriptions(schema: &Value) -> Value {
    let mut rest = schema.clone();
    for (name, property) in rest.as_object_mut().expect("properties") {
        let description = property
            .as_object_mut()
            .and_then(|p| p.remove("description"));
        let said = description
            .as_ref()
            .and_then(Value::as_str)
            .unwrap_or_default();
        assert!(said.len() > 10, "{name} has no description");
        if property.get("properties").is_some() {
            property["properties"] = without_descriptions(&property["properties"]);
        }
    }
    rest
}

#[test]
fn the_schema_describes_the_format_that_is_read() {
    let schema = published();
    let actual = without_descriptions(&schema["properties"]);
    let expected = Value::Object(expected());
    let text = |value: &Value| serde_json::to_string_pretty(value).expect("JSON");
    assert_eq!(text(&actual), text(&expected));
}

#[test]
fn every_form_of_a_model_is_in_the_schema() {
    let schema = published();
    let forms = schema["$defs"]["model"]["oneOf"].as_array().expect("forms");
    let names: Vec<_> = forms
        .iter()
        .map(|form| form["required"][0].as_str().unwrap_or("catalog id"))
        .collect();
    assert_eq!(
        names,
        [
            "catalog id",
            "hf_config",
            "linear",
            "exported",
            "num_parameters"
        ]
    );
}

#[test]
fn every_key_has_a_name_for_people() {
    for key in KEYS {
        for &language in Language::ALL {
            assert_ne!(setting_name(key.path, language), key.path);
        }
    }
}
