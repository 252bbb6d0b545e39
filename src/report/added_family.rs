//! A family that is added is there everywhere: `families/fictitious.rs` is a record and a line of the registry.

use crate::ask::{Scenario, Severity};
use crate::report::estimate;
use crate::resolve::resolve;
use serde_json::{Value, json};

fn scenario(config: &Value) -> Scenario {
    serde_json::from_value(json!({"model": {"hf_config": config}})).expect("a scenario")
}

fn config(model_type: &str) -> Value {
    json!({
        "model_type": model_type, "hidden_size": 256, "intermediate_size": 512, "num_hidden_layers": 3,
        "num_attention_heads": 4, "vocab_size": 1000,
    })
}

#[test]
fn a_config_of_it_is_read_and_estimated_as_its_parent_is() {
    let answer = |model_type| {
        estimate(&scenario(&config(model_type)))
            .expect("an answer")
            .report
    };
    let (added, parent) = (answer("fictitious"), answer("llama"));
    assert!(added.findings.is_empty(), "{:?}", added.findings);
    assert_eq!(added.model.num_parameters, parent.model.num_parameters);
    let peak = |report: crate::report::Report| report.device.steady_step.peak.peak_tensor;
    assert_eq!(peak(added), peak(parent));
}

#[test]
fn it_is_found_by_its_class_and_by_a_name_that_is_nearly_its() {
    let mut by_class = config("fictitious");
    by_class
        .as_object_mut()
        .expect("an object")
        .remove("model_type");
    by_class["architectures"] = json!(["FictitiousForCausalLM"]);
    assert!(resolve(&scenario(&by_class)).spec.is_some());
    let nearly = json!({"model_type": "ficttious"});
    let findings = resolve(&scenario(&nearly)).findings;
    let refused = findings
        .iter()
        .find(|finding| finding.severity == Severity::Error);
    let fix = refused
        .and_then(|finding| finding.fix.as_ref())
        .expect("a repair");
    assert_eq!(fix.value, json!("fictitious"));
}
