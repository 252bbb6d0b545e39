//! Values as configurations write them: numbers in texts, many words for yes.

use serde_json::Value;

/// A whole number: `8`, `8.0`, `"8"`, `5e8`.
pub(super) fn count(value: &Value) -> Option<u64> {
    if let Some(count) = value.as_u64() {
        return Some(count);
    }
    let number = real(value)?;
    let whole = (0.0..9.0e15).contains(&number) && number.fract() == 0.0;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a whole number from 0 to 9e15"
    )]
    whole.then_some(number as u64)
}

/// A number.
pub(super) fn real(value: &Value) -> Option<f64> {
    let number = match value {
        Value::String(text) => text.trim().replace('_', "").parse().ok(),
        value => value.as_f64(),
    };
    number.filter(|number: &f64| number.is_finite())
}

/// Yes or no.
pub(super) fn flag(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(flag) => Some(*flag),
        Value::String(text) => match text.trim().to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" | "1" => Some(true),
            "false" | "no" | "off" | "0" => Some(false),
            _ => None,
        },
        value => match value.as_u64() {
            Some(0) => Some(false),
            Some(1) => Some(true),
            _ => None,
        },
    }
}

/// One text.
pub(super) fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

/// Texts: a list of them, or one with commas or spaces between.
pub(super) fn list(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().flat_map(list).collect(),
        Value::String(text) => {
            let words = text.split([',', ' ', '\n']).map(str::trim);
            let words = words.map(|word| word.trim_matches(['[', ']', '\'', '"']));
            words
                .filter(|word| !word.is_empty())
                .map(str::to_owned)
                .collect()
        }
        _ => Vec::new(),
    }
}

/// The value of an option of this name in a text such as `rank=64,scale=1.0`.
pub(super) fn option(value: &Value, name: &str) -> Option<String> {
    let all = text(value)?;
    let mut options = all.split(',').filter_map(|option| option.split_once('='));
    let found = options.find(|(own, _)| own.trim() == name);
    found.map(|(_, own)| own.trim().to_owned())
}

/// Whether a value turns off what its key asks for.
pub(super) fn is_off(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::String(text) => matches!(
            text.trim().to_ascii_lowercase().as_str(),
            "" | "none" | "null" | "no" | "false" | "off" | "disabled" | "auto" | "default" | "0"
        ),
        value => flag(value) == Some(false) || real(value).is_some_and(|number| number <= 0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_are_read_however_they_are_written() {
        for value in [
            json!(500),
            json!(500.0),
            json!("500"),
            json!("5e2"),
            json!("5_00"),
        ] {
            assert_eq!(count(&value), Some(500), "{value}");
        }
        for value in [
            json!(-1),
            json!(0.5),
            json!("many"),
            json!(1e300),
            json!(null),
        ] {
            assert_eq!(count(&value), None, "{value}");
        }
    }

    #[test]
    fn lists_are_read_however_they_are_written() {
        for value in [
            json!(["q_proj", "v_proj"]),
            json!("q_proj,v_proj"),
            json!("q_proj v_proj"),
            json!("['q_proj', 'v_proj']"),
        ] {
            assert_eq!(list(&value), ["q_proj", "v_proj"], "{value}");
        }
    }
}
