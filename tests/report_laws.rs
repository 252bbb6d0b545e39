//! Laws of the report, over scenarios of many kinds with small models.

use highwater::ask::Scenario;
use highwater::catalog::{self, SituationGroup};
use highwater::codec::decode_json;
use highwater::decide::sweep;
use highwater::report::{Estimate, Report, estimate, explain};
use highwater::units::Bytes;
use serde_json::{Value, json};

/// Scenarios that vary every option that changes what runs.
fn scenarios() -> Vec<Scenario> {
    let changes = [
        json!({}),
        json!({"precision": "bf16", "optimizer": {"name": "adamw", "impl": "fused"}}),
        json!({"precision": "amp_bf16", "gradient_accumulation_steps": 3, "clip_grad_norm": true}),
        json!({"precision": "amp_fp16", "optimizer": {"name": "sgd", "impl": "foreach", "momentum": 0.9}}),
        json!({"attention": "eager", "activation_checkpointing": "full"}),
        json!({"optimizer": {"name": "adafactor", "impl": "foreach"}, "padding_mask": true}),
        json!({"framework": "torch-2.6/transformers-4.51", "precision": "bf16"}),
        json!({"lora": {"r": 8, "target_modules": ["q_proj", "v_proj"]}, "precision": "bf16"}),
        json!({"program": "forward", "precision": "bf16"}),
        json!({"loss": "mean_logits", "keep_outputs": true, "zero_grad_set_to_none": false}),
        json!({"allocator": {"expandable_segments": true}}),
    ];
    let mut scenarios = Vec::new();
    for model in ["qwen2.5-0.5b", "llama-3.2-1b", "qwen3-0.6b"] {
        for change in &changes {
            let mut scenario = json!({
                "model": model,
                "model_overrides": {"num_hidden_layers": 2},
                "micro_batch_size": 2,
                "seq_len": 192,
            });
            let into: &mut serde_json::Map<String, Value> = scenario.as_object_mut().expect("keys");
            into.extend(change.as_object().expect("keys").clone());
            scenarios.push(serde_json::from_value(scenario).expect("a scenario"));
        }
    }
    scenarios
}

fn each(check: impl Fn(&Scenario, &Report)) {
    for scenario in scenarios() {
        match estimate(&scenario) {
            Ok(estimate) => check(&scenario, &estimate.report),
            Err(findings) => panic!("{findings:?}"),
        }
    }
}

#[test]
fn parts_add_up_and_tensors_fit_in_blocks_and_blocks_in_segments() {
    each(|_, report| {
        for step in [&report.device.first_step, &report.device.steady_step] {
            for phase in step.phases.iter().chain([&step.peak]) {
                assert_eq!(phase.composition.total(), phase.peak_tensor);
                assert!(phase.peak_tensor <= phase.peak_allocated);
                assert!(phase.peak_allocated <= phase.peak_reserved);
                assert!(phase.peak_tensor <= step.peak.peak_tensor);
            }
        }
        assert!(report.device.run.peak_reserved <= report.device.total);
    });
}

#[test]
fn the_timeline_reaches_the_peak_of_the_report_and_no_higher() {
    for scenario in scenarios() {
        let estimate = estimate(&scenario).expect("an answer");
        let points = &estimate.timeline.points;
        let highest = points[estimate.timeline.peak].composition.total();
        assert_eq!(highest, estimate.report.device.binding().peak_tensor);
        assert!(
            points
                .iter()
                .all(|point| point.composition.total() <= highest)
        );
        let reserved = points.iter().map(|point| point.reserved).max();
        assert_eq!(reserved, Some(estimate.report.device.run.peak_reserved));
    }
}

#[test]
fn the_explanation_accounts_for_every_byte() {
    each(|_, report| {
        let why = explain(report);
        let parts: Bytes = why.parts.iter().map(|part| part.bytes).sum();
        assert_eq!(parts, report.device.binding().peak_tensor);
        assert_eq!(
            parts + why.unsplit + why.cached + why.context,
            report.device.total
        );
        if let Some(next) = why.next {
            assert_ne!(next.phase, why.binding);
        }
    });
}

#[test]
fn the_same_scenario_gives_the_same_answer() {
    each(|scenario, report| {
        assert_eq!(estimate(scenario).expect("an answer").report, *report);
    });
}

#[test]
fn an_answer_is_the_same_after_another_thread_has_written_it() {
    let beside = json!([
        {"objective": {"kind": "grpo", "completion_tokens": 512, "generation": "vllm"},
            "model": "qwen2.5-1.5b", "seq_len": 1024, "hardware": {"gpu": "rtx-4090"}},
        {"parallelism": {"dp": {"kind": "ddp"}}, "hardware": {"gpus_per_node": 3}},
        {"hardware": {"processes_per_gpu": 2, "gpu_memory_in_use": 1 << 30}},
    ]);
    let beside = serde_json::from_value::<Vec<Scenario>>(beside).expect("scenarios");
    let groups = SituationGroup::ALL.iter();
    let situations = groups.flat_map(|group| catalog::situations_of(*group));
    let situations = situations.map(|situation| decode_json(situation.scenario).0);
    let (mut found, mut failed) = (0, 0);
    for scenario in scenarios().into_iter().chain(beside).chain(situations) {
        let answer = estimate(&scenario).expect("an answer");
        found += answer.report.findings.len();
        failed += u32::from(answer.failure.is_some());
        let written = answer.written().expect("text");
        assert!(written.len() < 256 << 10, "{} bytes", written.len());
        assert_eq!(Estimate::read(&written, &scenario), Some(answer));
    }
    assert!(found > 0 && failed > 0, "{found} {failed}");
    assert_eq!(Estimate::read("nothing", &Scenario::default()), None);
}

#[test]
fn a_larger_micro_batch_never_needs_less() {
    for scenario in scenarios() {
        let sweep = sweep(&scenario, &[1, 2, 3, 5, 8]);
        let peaks: Vec<_> = sweep
            .points
            .iter()
            .map(|p| p.phases.iter().map(|p| p.1).max())
            .collect();
        assert_eq!(peaks.len(), 5);
        assert!(peaks.is_sorted(), "{peaks:?}");
        for point in &sweep.points {
            let micro_batch_size = point.micro_batch_size;
            let alone = Scenario {
                micro_batch_size,
                ..scenario.clone()
            };
            let alone = estimate(&alone).expect("an answer").report.device;
            assert_eq!(alone.total, point.total);
            assert_eq!(alone.steady_step.peak.phase, point.binding);
        }
    }
}

#[test]
fn phases_are_in_program_order() {
    let scenario = json!({
        "model": "qwen2.5-0.5b",
        "objective": {"kind": "grpo", "generation": "vllm_sleep"},
    });
    let scenario: Scenario = serde_json::from_value(scenario).expect("a scenario");
    let report = estimate(&scenario).expect("a report").report;
    let phases = report.device.steady_step.phases.iter();
    let names: Vec<&str> = phases.map(|phase| phase.phase.name()).collect();
    let first = ["generation", "reference_forward", "forward", "backward"];
    assert_eq!(names[..4], first);
}
