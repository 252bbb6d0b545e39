//! Runs whose sequences are divided among ranks.

use super::{Trace, simulate};
use crate::ask::Scenario;
use crate::resolve::resolve;
use serde_json::{Value, json};

fn run(parallelism: &Value) -> Trace {
    let scenario = json!({
        "model": "llama-3.2-1b",
        "model_overrides": {"num_hidden_layers": 2},
        "micro_batch_size": 1,
        "seq_len": 512,
        "precision": "bf16",
        "parallelism": parallelism,
    });
    let scenario: Scenario = serde_json::from_value(scenario).expect("a scenario");
    let resolution = resolve(&scenario);
    simulate(&resolution.spec.expect("a spec"))
}

#[test]
fn one_rank_along_the_sequence_gives_the_bytes_of_none() {
    for dp in [
        json!({}),
        json!({"kind": "fsdp2", "size": 2}),
        json!({"kind": "deepspeed_zero", "size": 2, "stage": 3}),
    ] {
        let none = run(&json!({"dp": dp}));
        for kind in ["ring", "ulysses"] {
            let one = run(&json!({"dp": dp, "cp": {"kind": kind, "size": 1}}));
            assert!(none.record == one.record, "{kind} beside {dp}");
        }
    }
}

#[test]
fn the_result_of_all_ranks_of_a_ring_but_the_last_is_copied_once_more() {
    let saved = |rank: u64| run(&json!({"cp": {"size": 4, "rank": rank}})).saved_for_backward;
    // Two layers of 128 tokens of 32 heads with 64 columns in bfloat16.
    let results = 2 * 128 * 32 * 64 * 2;
    assert_eq!(saved(0), saved(2));
    assert_eq!(saved(2), saved(3) + results);
}
