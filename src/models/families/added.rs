//! Adding a family takes a record and a line of the registry: [`super::fictitious`] is added so, and works everywhere.

use super::{ReadModel, modules, read};
use crate::ask::{Finding, Framework, Scenario, Severity, Task};
use serde_json::{Value, json};

fn config(model_type: &str) -> Value {
    json!({
        "model_type": model_type, "hidden_size": 256, "intermediate_size": 512, "num_hidden_layers": 3,
        "num_attention_heads": 4, "vocab_size": 1000,
    })
}

fn read_config(config: &Value) -> (Option<ReadModel>, Vec<Finding>) {
    let scenario = json!({"model": {"hf_config": config}});
    let scenario: Scenario = serde_json::from_value(scenario).expect("a scenario");
    let mut findings = Vec::new();
    let model = read(&scenario, &mut findings);
    (model, findings)
}

#[test]
fn a_config_of_it_is_read_and_built_as_its_parent_is() {
    let built = |model_type| {
        let (model, findings) = read_config(&config(model_type));
        assert!(findings.is_empty(), "{findings:?}");
        let architecture = model.expect("a model").architecture;
        let modules = modules(&architecture, Task::CausalLm, Framework::default());
        let parameters = modules.iter().flat_map(|module| module.parameters.iter());
        let shapes: Vec<_> = parameters.map(|parameter| parameter.shape).collect();
        shapes
    };
    assert!(!built("llama").is_empty());
    assert_eq!(built("fictitious"), built("llama"));
}

#[test]
fn it_is_found_by_its_class_and_by_a_name_that_is_nearly_its() {
    let mut by_class = config("fictitious");
    by_class
        .as_object_mut()
        .expect("an object")
        .remove("model_type");
    by_class["architectures"] = json!(["FictitiousForCausalLM"]);
    assert!(read_config(&by_class).0.is_some());
    let (_, findings) = read_config(&json!({"model_type": "ficttious"}));
    let refused = findings
        .iter()
        .find(|finding| finding.severity == Severity::Error);
    let fix = refused
        .and_then(|finding| finding.fix.as_ref())
        .expect("a repair");
    assert_eq!(fix.value, json!("fictitious"));
}
