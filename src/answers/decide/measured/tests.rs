use super::*;
use crate::ask::Scenario;
use serde_json::{Value, json};

const TEXT: &str = "# A comment.
full.alone.training lora.fsdp2.training
*|0 500 3 1 20 300|1 7|* 507 3 1 20 300
*@h200|0 9 9 0 3300|* 9 9 0 3300
llama|0 400|* 400
qwen2|0 100 3 1 20 300|1 7|* 107 3 1 20 300
";

fn scenario(value: Value) -> Scenario {
    serde_json::from_value(value).expect("a scenario")
}

fn near(value: Value) -> Near {
    MeasuredCases::of(TEXT).near(&scenario(value))
}

#[test]
fn cases_of_the_same_type_and_kind_are_found_with_their_errors() {
    let found = near(json!({"model": "qwen2.5-0.5b"}));
    let same = found.same.expect("cases");
    assert_eq!(same.numbers(), [100, 3, 1, 20, 300]);
    assert_eq!(found.of_type.expect("cases").cases, 107);
    assert_eq!(found.of_kind.expect("cases").cases, 500);
    assert_eq!(found.on_gpu.expect("cases").allocated_worst, 3300);
    assert_eq!(found.key.model_type.as_deref(), Some("qwen2"));
}

#[test]
fn a_kind_or_a_type_without_cases_has_none() {
    let lora = json!({"target_modules": ["all-linear"]});
    let dp = json!({"dp": {"kind": "fsdp2"}});
    let divided = near(
        json!({"model": "llama-3.1-8b", "lora": lora, "parallelism": dp, "hardware": {"gpus_per_node": 2}}),
    );
    assert_eq!((divided.same, divided.on_gpu), (None, None));
    assert_eq!(divided.of_type.expect("cases").cases, 400);
    assert_eq!(divided.of_kind.expect("cases").cases, 7);
    let linear = json!({"linear": {"in_features": 8, "out_features": 8, "bias": true}});
    let layer = near(json!({"model": linear}));
    assert_eq!((layer.same, layer.of_type), (None, None));
    assert_eq!(layer.key.model_type, None);
}

#[test]
fn options_decide_the_kind_of_run() {
    let kind = |value: Value| CaseKind::of(&scenario(value)).name();
    let plain = json!({"model": "qwen2.5-0.5b"});
    assert_eq!(kind(plain.clone()), "full.alone.training");
    for (key, value, name) in [
        ("program", json!("evaluation"), "full.alone.forward"),
        ("objective", json!({"kind": "dpo"}), "full.alone.trainer"),
        (
            "evaluation",
            json!({"kind": "loss"}),
            "full.alone.evaluated",
        ),
        (
            "quantization",
            json!({"type": "nf4"}),
            "quantized.alone.training",
        ),
        (
            "parallelism",
            json!({"tp": {"size": 2}}),
            "full.model.training",
        ),
        (
            "parallelism",
            json!({"dp": {"kind": "megatron"}}),
            "full.megatron.training",
        ),
    ] {
        let mut changed = plain.clone();
        changed[key] = value;
        let found = kind(changed);
        assert_eq!(found, name);
        assert_eq!(CaseKind::from_name(&found).map(CaseKind::name), Some(found));
    }
}

#[test]
fn what_is_compiled_in_has_each_group_and_all_of_them() {
    let cases = MeasuredCases::compiled();
    let all = cases.errors(None, None, MeasuredOn::Builds).expect("cases");
    assert!(all.cases > 10_000, "{all:?}");
    let kind = CaseKind::of(&Scenario::default());
    let llama = |kind| cases.errors(Some("llama"), kind, MeasuredOn::Builds);
    let [own, every] = [llama(Some(kind)), llama(None)].map(|found| found.expect("cases").cases);
    assert!(0 < own && own < every && every < all.cases);
    assert!(cases.errors(None, None, MeasuredOn::H200).is_some());
    assert_eq!(
        cases.errors(Some("no_such_type"), None, MeasuredOn::Builds),
        None
    );
}
