//! Schedules in which some turns represent all, against schedules that are run in full.

use super::difference;
use crate::ask::Scenario;
use crate::model::ResolvedSpec;
use crate::resolve::resolve;
use crate::sim::run::{accumulation, run, unfolded};
use crate::sim::{Trace, simulate_in_detail};
use crate::tape::{Backend, Tape};
use serde_json::json;

/// A record of which everything is run.
fn in_full(backend: Backend) -> Tape {
    let tape = Tape::with_details(backend);
    tape.run_all_layers();
    tape
}

fn spec(option: &str, [size, rank, batches]: [u64; 3]) -> Option<ResolvedSpec> {
    let mut scenario: serde_json::Value = serde_json::from_str(option).expect("JSON");
    if scenario["model"].is_null() {
        scenario["model"] = "qwen2.5-0.5b".into();
    }
    scenario["micro_batch_size"] = 1.into();
    scenario["seq_len"] = 64.into();
    if scenario["precision"].is_null() {
        scenario["precision"] = "bf16".into();
    }
    scenario["hardware"] = json!({"gpus_per_node": 8});
    let pipeline = &mut scenario["parallelism"]["pp"];
    pipeline["size"] = size.into();
    pipeline["rank"] = rank.into();
    pipeline["microbatches"] = batches.into();
    let scenario: Scenario = serde_json::from_value(scenario).expect("a scenario");
    resolve(&scenario).spec
}

#[test]
fn turns_of_a_schedule_go_on_as_each_of_them_does() {
    let options = [
        "{}",
        r#"{"precision": "fp32", "clip_grad_norm": true}"#,
        r#"{"activation_checkpointing": "full", "optimizer": {"name": "adamw", "impl": "fused"}}"#,
        r#"{"attention": "eager", "optimizer": {"name": "sgd"}}"#,
        r#"{"lora": {"r": 8, "target_modules": ["all-linear"]}}"#,
        r#"{"zero_grad_set_to_none": false}"#,
        r#"{"parallelism": {"dp": {"kind": "fsdp2"}}}"#,
        r#"{"parallelism": {"dp": {"kind": "fsdp2", "reshard_after_forward": false}},
            "activation_checkpointing": "full"}"#,
        r#"{"parallelism": {"tp": {"size": 2}, "dp": {"kind": "fsdp2"}}}"#,
        r#"{"parallelism": {"pp": {"return_outputs": true}}}"#,
        r#"{"parallelism": {"tp": {"size": 2}, "pp": {"return_outputs": true}, "dp": {"kind": "fsdp2"}}}"#,
        r#"{"model": "gpt2"}"#,
    ];
    let places = [[2, 0, 16], [2, 1, 9], [2, 1, 16], [4, 1, 12], [4, 0, 13]];
    let (mut different, mut shorter) = (Vec::new(), 0);
    for option in options {
        for place in places {
            let Some(spec) = spec(option, place) else {
                continue;
            };
            let some = simulate_in_detail(&spec);
            let all = run(&spec, accumulation(&spec), in_full);
            let apart = unfolded(&spec, accumulation(&spec), in_full);
            let stand = unfolded(&spec, accumulation(&spec), Tape::with_details);
            assert_eq!(some.work, all.work, "{option} {place:?}");
            assert_eq!(some.work, apart.work, "{option} {place:?}");
            for (some, all) in [(&some, &all), (&some, &apart), (&stand, &apart)] {
                if let Some(found) = difference(some, all) {
                    different.push(format!("{option} {place:?}: {found}"));
                }
            }
            let marks = |trace: &Trace| trace.marks.clone();
            assert!(marks(&some) == marks(&apart), "{option} {place:?}");
            shorter += 1;
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n\n"));
    assert!(shorter > 30, "{shorter}");
}
