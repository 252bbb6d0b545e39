//! GPT-Neo's list of how its layers attend.

use crate::ask::Scenario;
use crate::ask::Severity;
use crate::resolve::resolve;
use serde_json::{Value, json};

fn finding(asked: Value) -> Option<(Severity, Value)> {
    let scenario: Scenario = serde_json::from_value(asked).expect("a scenario");
    let first = resolve(&scenario).findings.into_iter().next();
    first.map(|finding| (finding.severity, finding.fix.expect("a fix").value))
}

#[test]
fn gpt_neo_says_how_each_of_its_layers_attends() {
    let of = |layers: Value| {
        let eager = json!("eager");
        finding(json!({"model": "gpt-neo-125m", "attention": eager, "model_overrides": layers}))
    };
    assert_eq!(of(json!({})), None);
    let fitting = json!([[["global", "local"], 1], [["global"], 1]]);
    let repair = Some((Severity::Error, fitting.clone()));
    assert_eq!(of(json!({"num_layers": 3})), repair);
    assert_eq!(
        of(json!({"num_layers": 3, "attention_types": fitting})),
        None
    );
}

#[test]
fn gpt_neo_that_does_not_say_so_has_24_layers() {
    let of = |layers: u64| {
        let sizes = json!({"model_type": "gpt_neo", "num_layers": layers, "num_heads": 4});
        finding(json!({"model": {"hf_config": sizes}, "attention": "eager"}))
    };
    let repair = json!([[["global", "local"], 1]]);
    assert_eq!(of(2), Some((Severity::Error, repair)));
    assert_eq!(of(24), None);
}
