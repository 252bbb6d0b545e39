//! Values of settings as people read them.

use crate::catalog::accelerator;
use crate::codec::{self, Kind};
use crate::text::{Language, Word, and_more, setting_name, value_name};
use serde_json::Value;

/// A setting's name with its value: "Rank 8".
pub(super) fn named_value(key: &'static str, value: &Value, language: Language) -> String {
    let value = short_text(key, value, language);
    format!("{} {value}", setting_name(key, language))
}

/// The same, of a list the first names.
pub(super) fn short_text(key: &'static str, value: &Value, language: Language) -> String {
    /// Names of a list that are said.
    const SAID: usize = 3;
    match value {
        Value::Array(all) if all.len() > SAID => {
            let said = all.iter().take(SAID).filter_map(Value::as_str);
            let said: Vec<String> = said.map(str::to_owned).collect();
            and_more(&said, all.len().saturating_sub(SAID), language)
        }
        value => value_text(key, value, language),
    }
}

/// A setting's value in a few words.
pub(super) fn value_text(key: &'static str, value: &Value, language: Language) -> String {
    let kind = codec::key(key).map_or(Kind::Text, |key| key.kind);
    match (kind, value) {
        (_, Value::Object(fields)) if key == "lora" && !fields.is_empty() => {
            Word::On.text(language).to_owned()
        }
        (Kind::Flag, Value::Null | Value::Bool(false)) => Word::Off.text(language).to_owned(),
        (Kind::Flag, _) => Word::On.text(language).to_owned(),
        (_, Value::Null) => "\u{2013}".to_owned(),
        (_, Value::String(id)) if key == "hardware.gpu" => {
            accelerator(id).map_or_else(|| id.clone(), |gpu| gpu.name.to_owned())
        }
        (Kind::Name(_), Value::String(name)) => {
            value_name(key, name, language).unwrap_or(name).to_owned()
        }
        (kind, value) => kind.write(value).replace(',', ", "),
    }
}
