//! Kinds of pasted texts: a scenario, a model's config, a link, or a model's name.

use super::job::{JobFile, read_job};
use super::json::{decode_object, not_json, parse_json};
use super::keys::KEYS;
use super::meant::CONFIG;
use super::query::Link;
use super::query::decode_query;
use crate::ask::{Finding, ModelRef, Scenario, message};
use crate::catalog::Model;
use crate::configs::BESIDE_A_TRAINER;
use crate::families;
use crate::families::essential_config;
use serde_json::{Map, Value};

/// Bytes of the longest name that is looked up.
const LONGEST_NAME: usize = 200;

/// A recognized pasted text.
#[derive(Clone, Debug, PartialEq)]
pub enum Pasted {
    /// A whole scenario, as JSON or as a link.
    Scenario(Box<Scenario>),
    /// A model: a `config.json`, a catalog id or the name of a hub repository.
    Model(ModelRef),
}

/// Reads a pasted text; without a result a finding says why.
pub fn read_pasted(text: &str) -> (Option<Pasted>, Vec<Finding>) {
    let text = text.trim().trim_start_matches('\u{feff}');
    if text.starts_with(['{', '[', '"']) {
        return match parse_json(text) {
            Ok(Value::Object(map)) if !is_beside_a_trainer(text) => read_object(&map),
            Ok(_) => (None, vec![neither()]),
            Err(error) => (None, vec![not_json(&error)]),
        };
    }
    if let Some(model) = by_name(text) {
        return (
            Some(Pasted::Model(ModelRef::Catalog(model.id.to_owned()))),
            Vec::new(),
        );
    }
    let is_link = text.contains('?') && text.contains("v=") && !text.contains(char::is_whitespace);
    if is_link {
        let Link {
            scenario, findings, ..
        } = decode_query(text);
        return (Some(Pasted::Scenario(Box::new(scenario))), findings);
    }
    (None, vec![neither()])
}

/// Whether a text is a file beside a trainer's configuration: DeepSpeed's has keys that a scenario has, too.
fn is_beside_a_trainer(text: &str) -> bool {
    let file = JobFile {
        name: String::new(),
        text: text.to_owned(),
    };
    let is_beside = |kind: &&str| BESIDE_A_TRAINER.contains(kind);
    read_job(&[file], &[]).is_ok_and(|job| {
        let kinds = &job.read.kinds;
        !kinds.is_empty() && kinds.iter().all(is_beside)
    })
}

/// A config says `model_type` or `architectures`, which no scenario has as a key.
fn read_object(map: &Map<String, Value>) -> (Option<Pasted>, Vec<Finding>) {
    let is_config = map.contains_key("model_type") || map.contains_key("architectures");
    if is_config {
        let mut hf_config = essential_config(map);
        if let Some(own) = map.get(CONFIG) {
            hf_config.insert(CONFIG.to_owned(), own.clone());
        }
        return (
            Some(Pasted::Model(ModelRef::HfConfig { hf_config })),
            Vec::new(),
        );
    }
    let first = |path: &'static str| path.split('.').next().unwrap_or(path);
    let is_scenario = map
        .keys()
        .any(|name| name == "v" || KEYS.iter().any(|key| first(key.path) == name));
    if is_scenario {
        let (scenario, findings) = decode_object(map);
        return (Some(Pasted::Scenario(Box::new(scenario))), findings);
    }
    (None, vec![neither()])
}

/// The model that a word names.
fn by_name(text: &str) -> Option<&'static Model> {
    let word = |c: char| !c.is_whitespace() && c != '?';
    let one = text.len() <= LONGEST_NAME && text.chars().all(word);
    let named = one.then(|| families::find_model(text)).flatten();
    named.map(|named| named.model)
}

fn neither() -> Finding {
    Finding::error("model", message!(codec::not_understood))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_deepspeed_is_no_scenario() {
        let zero = include_str!("../../../tests/fixtures/inputs/configs/deepspeed_zero2.json");
        assert_eq!(read_pasted(zero).0, None);
        let (own, _) = read_pasted("{\"model\": \"gpt2\", \"gradient_accumulation_steps\": 2}");
        assert!(matches!(own, Some(Pasted::Scenario(_))), "{own:?}");
    }
}
