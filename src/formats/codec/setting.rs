//! Single settings: their values in a scenario, as texts, and where two scenarios differ.

use super::keys::{KEYS, Key, Kind};
use super::query::{read_value, write_value};
use super::tree::{at, to_tree};
use super::{NumberError, parse_bytes, parse_count, parse_tokens};
use crate::ask::{Message, Scenario, message};
use serde_json::Value;

/// The key with a dotted path.
pub fn key(path: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.path == path)
}

/// All values of a scenario, those too that are not written because they are as usual; to be looked into
/// with [`value_at`].
pub fn values(scenario: &Scenario) -> Value {
    let mut all = to_tree(scenario);
    all["parallelism"] = scenario.parallelism.complete().into();
    all["recompute"] = scenario.recompute.complete().into();
    all
}

/// The value at a dotted path; null when there is none.
pub fn value_at<'a>(values: &'a Value, path: &str) -> &'a Value {
    at(values, path)
}

/// Whether the value at a path is what it is when nobody says anything.
pub fn is_usual(values: &Value, usual: &Value, path: &str) -> bool {
    super::tree::is_usual(values, usual, path)
}

/// A setting in which two scenarios differ.
pub struct Difference {
    /// Which.
    pub key: &'static Key,
    /// Its value in the first.
    pub a: Value,
    /// Its value in the second.
    pub b: Value,
}

/// The settings in which two scenarios differ.
pub fn differences(a: &Scenario, b: &Scenario) -> Vec<Difference> {
    let (a, b) = (values(a), values(b));
    let both = |key: &'static Key| Difference {
        key,
        a: at(&a, key.path).clone(),
        b: at(&b, key.path).clone(),
    };
    KEYS.iter()
        .map(both)
        .filter(|found| found.a != found.b)
        .collect()
}

/// The index of the value that is nearest to another one; null is near to null alone.
pub fn nearest(values: &[Value], to: &Value) -> usize {
    let far = |value: &Value| match (value.as_f64(), to.as_f64()) {
        (Some(value), Some(to)) => (value - to).abs(),
        (None, None) => 0.0,
        _ => f64::INFINITY,
    };
    let all = values.iter().map(far).enumerate();
    all.min_by(|(_, a), (_, b)| a.total_cmp(b))
        .map_or(0, |(at, _)| at)
}

impl Kind {
    /// A value as people type it; [`Kind::read`] reads it.
    pub fn write(self, value: &Value) -> String {
        write_value(self, value)
    }

    /// Reads a typed text, or returns its error.
    pub fn read(self, text: &str) -> Result<Value, Message> {
        let text = text.trim();
        let number = match self {
            Self::Count => parse_count(text),
            Self::Tokens => parse_tokens(text),
            Self::Bytes => parse_bytes(text),
            _ => {
                let value = read_value(self, text).and_then(|value| self.accept(&value));
                return value.ok_or_else(|| message!(codec::expected, expected = self.expected(0)));
            }
        };
        number.map(Value::from).map_err(NumberError::message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_people_type_is_read_as_it_is_written() {
        for (kind, text, value) in [
            (Kind::Tokens, "8k", json!(8192)),
            (Kind::Bytes, "24 GiB", json!(24_u64 << 30)),
            (Kind::Real, "0.05", json!(0.05)),
            (Kind::Real, ".5", json!(0.5)),
            (Kind::Real, "1e-3", json!(0.001)),
            (Kind::List, "q_proj,v_proj", json!(["q_proj", "v_proj"])),
            (Kind::List, "", json!([])),
            (Kind::Divisions, "[256:1,>:8]", json!("[256:1,>:8]")),
            (
                Kind::Fields,
                "num_hidden_layers:2",
                json!({"num_hidden_layers": 2}),
            ),
        ] {
            assert_eq!(kind.read(text), Ok(value.clone()), "{text}");
            assert_eq!(kind.read(&kind.write(&value)), Ok(value), "{text}");
        }
        for (kind, text) in [
            (Kind::Count, "many"),
            (Kind::Real, "a half"),
            (Kind::Real, "inf"),
            (Kind::Real, "\"1\""),
            (Kind::Fields, "two layers"),
        ] {
            let code = kind.read(text).expect_err(text).code;
            assert!(
                ["codec.expected", "codec.no_number"].contains(&code),
                "{text}: {code}"
            );
        }
    }

    #[test]
    fn the_nearest_step_of_a_slider_is_found() {
        let steps = [json!(null), json!(1), json!(0.5), json!(8)];
        let at = [json!(null), json!(3), json!(0.6), json!(1000)].map(|v| nearest(&steps, &v));
        assert_eq!(at, [0, 1, 2, 3]);
    }

    #[test]
    fn two_scenarios_differ_where_one_was_changed() {
        let a = Scenario::default();
        let mut b = a.clone();
        b.offload.activations = true;
        b.seq_len = 512;
        let found: Vec<_> = differences(&a, &b)
            .into_iter()
            .map(|found| (found.key.path, found.a, found.b))
            .collect();
        assert_eq!(
            found,
            [
                ("seq_len", json!(256), json!(512)),
                ("offload.activations", json!(null), json!(true))
            ]
        );
        assert!(differences(&a, &a).is_empty());
        let (usual, values) = (values(&a), values(&b));
        assert!(is_usual(&values, &usual, "precision"));
        assert!(!is_usual(&values, &usual, "seq_len"));
    }
}
