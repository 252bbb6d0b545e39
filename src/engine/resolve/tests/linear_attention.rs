//! Layers of attention among those of linear attention.

use crate::ask::Scenario;
use crate::ask::Severity;
use crate::resolve::resolve;
use serde_json::{Value, json};

/// The keys of errors for a model with this `attn`.
fn errors(attn: &Value, checkpointing: &str) -> Vec<String> {
    let config =
        json!({"model_type": "hgrn2", "hidden_size": 256, "num_hidden_layers": 3, "attn": attn});
    let scenario = json!({
        "model": {"hf_config": config},
        "precision": "bf16",
        "activation_checkpointing": checkpointing,
    });
    let scenario: Scenario = serde_json::from_value(scenario).expect("a scenario");
    let errors = resolve(&scenario).findings.into_iter();
    let errors = errors.filter(|finding| finding.severity == Severity::Error);
    errors.map(|finding| finding.key).collect()
}

#[test]
fn attention_names_layers_that_exist_and_each_once() {
    let heads = |layers: Value, heads: u64| json!({"layers": layers, "num_heads": heads});
    let none: Vec<String> = Vec::new();
    assert_eq!(errors(&heads(json!([0, 2]), 4), "full"), none);
    assert_eq!(
        errors(&heads(json!([3]), 4), "none"),
        ["model.hf_config.attn"]
    );
    let twice = json!([heads(json!([1]), 4), heads(json!([1]), 2)]);
    assert_eq!(errors(&twice, "none"), ["model.hf_config.attn"]);
    let odd = heads(json!([1]), 3);
    assert_eq!(errors(&odd, "none"), ["model.hf_config.attn.num_heads"]);
}

#[test]
fn bounds_of_all_layers_exclude_reentrant_checkpoints() {
    assert_eq!(
        errors(&Value::Null, "full_reentrant"),
        ["activation_checkpointing"]
    );
}
