//! The names of a scenario's model and the size of its hidden states, without building it.

use crate::ask::{ModelRef, Pattern, Scenario};
use crate::configs::Models;
use crate::families;
use crate::resolve::{linear_layers, parameter_names};
use serde_json::{Map, Value};

/// The names of a published model.
pub struct PublishedNames {
    /// The catalog's name.
    pub id: &'static str,
    /// The hub's repository.
    pub repository: &'static str,
}

/// The names of the published model that a name means.
pub fn published(name: &str) -> Option<PublishedNames> {
    let model = families::find_model(name)?.model;
    Some(PublishedNames {
        id: model.id,
        repository: model.source,
    })
}

/// A model's config, by the model as a scenario's JSON has it.
pub fn config_of(model: &Value) -> Option<Map<String, Value>> {
    if let Some(config) = model.get("hf_config") {
        return config.as_object().cloned();
    }
    let known = families::find_model(model.as_str()?)?.model;
    match serde_json::from_str(known.config()) {
        Ok(Value::Object(config)) => Some(config),
        _ => None,
    }
}

/// Facts of the catalog's models and of configs.
pub struct Known;

impl Models for Known {
    /// `config.hidden_size` as transformers has it: under the names that models give it, or of the text part.
    fn hidden_size(&self, model: &Value) -> Option<u64> {
        let config = config_of(model)?;
        let named = |config: &Map<String, Value>| {
            let mut names = ["hidden_size", "n_embd", "d_model", "dim"].into_iter();
            names.find_map(|name| config.get(name)?.as_u64())
        };
        named(&config).or_else(|| named(config.get("text_config")?.as_object()?))
    }

    fn linear_names(&self, model: &Value) -> Vec<String> {
        linear_layers(&alone(model))
    }

    fn parameters(&self, model: &Value) -> Vec<String> {
        parameter_names(&alone(model))
    }

    fn has_known_ends(&self, model: &Value) -> bool {
        let read = families::read(&alone(model), &mut Vec::new());
        read.is_some_and(|model| families::has_known_ends(&model.architecture))
    }

    fn parameters_like(&self, model: &Value, expression: &str) -> Option<Vec<String>> {
        let pattern = Pattern::read(&format!("(?:{expression}).*")).ok()?;
        let mut names = self.parameters(model);
        let mut is_read = true;
        names.retain(|name| {
            let matches = pattern.matches(name);
            is_read &= matches.is_some();
            matches == Some(true)
        });
        is_read.then_some(names)
    }
}

/// A scenario of a model and nothing else.
fn alone(model: &Value) -> Scenario {
    let hf_config = config_of(model).unwrap_or_default();
    Scenario {
        model: ModelRef::HfConfig { hf_config },
        ..Scenario::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn hidden_sizes_are_read_by_any_name() {
        fn hidden_size(model: &Value) -> Option<u64> {
            Known.hidden_size(model)
        }
        assert_eq!(hidden_size(&json!("llama-3.1-8b")), Some(4096));
        assert_eq!(hidden_size(&json!("openai-community/gpt2")), Some(768));
        let images = json!({"hf_config": {"text_config": {"hidden_size": 64}}});
        assert_eq!(hidden_size(&images), Some(64));
        assert_eq!(hidden_size(&json!("nothing")), None);
        let PublishedNames { id, repository } =
            published("meta-llama/llama-3.1-8b").expect("a model");
        assert_eq!(
            (id, repository),
            ("llama-3.1-8b", "meta-llama/Llama-3.1-8B")
        );
    }
}
