//! Runs whose experts are divided among ranks.

use super::{Trace, simulate};
use crate::ask::Scenario;
use crate::resolve::resolve;
use serde_json::{Value, json};

fn run(parallelism: &Value) -> Trace {
    let scenario = json!({
        "model": "olmoe-1b-7b", "model_overrides": {"num_hidden_layers": 2},
        "micro_batch_size": 1, "seq_len": 64, "precision": "bf16", "parallelism": parallelism,
    });
    let scenario: Scenario = serde_json::from_value(scenario).expect("a scenario");
    let resolution = resolve(&scenario);
    simulate(&resolution.spec.expect("a spec"))
}

#[test]
fn experts_that_one_rank_has_all_of_give_the_bytes_of_none() {
    for axes in [
        json!({}),
        json!({"dp": {"kind": "fsdp2", "size": 4, "plan": "transformers"}}),
        json!({"tp": {"size": 2, "plan": "transformers"}}),
    ] {
        let none = run(&axes);
        let mut one = axes.clone();
        one["ep"] = json!({"size": 1});
        assert!(none.record == run(&one).record, "{axes}");
    }
}

#[test]
fn ranks_of_experts_together_hold_each_expert_once() {
    let whole = run(&json!({})).num_trainable;
    // 64 experts of two layers: three matrices of 1024 by 2048.
    let experts = 2 * 64 * 3 * 1024 * 2048;
    for ranks in [2, 4, 8] {
        let fsdp = json!({"kind": "fsdp2", "size": 8, "plan": "transformers"});
        let trace = run(&json!({"dp": fsdp, "ep": {"size": ranks}}));
        assert_eq!(trace.num_parameters, whole);
        assert_eq!(8 * trace.num_trainable, whole);
        let tp = json!({"size": ranks, "plan": "transformers"});
        let divided = run(&json!({"tp": tp, "ep": {"size": ranks}}));
        let each = run(&json!({"tp": tp}));
        // Divided whole or each by its columns: a rank has as much.
        assert_eq!(divided.num_trainable, each.num_trainable);
        assert!(ranks * divided.num_trainable > experts);
    }
}
