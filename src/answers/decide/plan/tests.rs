//! The search against all that it could have found.

use super::candidates::families;
use super::*;
use crate::ask::Scenario;
use crate::catalog::ACCELERATORS;
use crate::codec::decode_json;
use crate::decide::listed::on_gpu;
use crate::decide::{Answer, Estimator, Progress, Question};
use crate::report::{Effort, Figures, Report, estimate};
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn scenario(value: &Value) -> Scenario {
    let (scenario, findings) = decode_json(&value.to_string());
    assert!(findings.is_empty(), "{findings:?}");
    scenario
}

fn locked(locked: &[Freedom]) -> PlanOptions {
    PlanOptions {
        locked: locked.to_vec(),
        ..PlanOptions::default()
    }
}

fn fits(report: &Report, headroom: u64) -> bool {
    let most = report.device.usable.get() / 100 * (100 - headroom);
    report.device.total.get() <= most && report.verdict.fits
}

/// Costs of a plan with the settings that it alters.
type Point = ([u64; 5], Vec<Altered>);

fn points<'a>(plans: impl IntoIterator<Item = &'a RunPlan>) -> BTreeSet<Point> {
    let points = plans.into_iter();
    points
        .map(|plan| (plan.costs(), plan.altered.clone()))
        .collect()
}

/// Operations and traffic of the busiest rank: of a pipeline, the rank that takes most memory or the last one, which is
/// estimated by itself.
fn most_work(candidate: &Scenario, report: &Report) -> Effort {
    let Effort {
        mut compute,
        mut communication,
    } = Figures::from(report).own;
    let pp = &candidate.parallelism.pp;
    if pp.size > 1 && pp.rank.is_none() {
        let mut last = candidate.clone();
        last.parallelism.pp.rank = Some(pp.size - 1);
        if let Ok(last) = estimate(&last) {
            let device = last.report.device;
            if device.compute.total() > compute.total() {
                compute = device.compute;
            }
            if device.communication.total() > communication.total() {
                communication = device.communication;
            }
        }
    }
    Effort {
        compute,
        communication,
    }
}

/// The candidate on each GPU that it can be on.
fn on_gpus(candidate: &Scenario, gpu: GpuModel) -> Vec<Scenario> {
    match gpu {
        GpuModel::AsSaid => vec![candidate.clone()],
        GpuModel::Any => (ACCELERATORS.iter())
            .map(|gpu| on_gpu(candidate, gpu.id))
            .collect(),
    }
}

/// All candidates that fit, estimated one by one, and how many candidates there are.
fn all_that_fit(asked: &Scenario, options: &PlanOptions) -> (Vec<RunPlan>, u64) {
    let (mut fitting, mut count) = (Vec::new(), 0);
    for family in families(asked, options) {
        for line in family.lines {
            for place in 0..line.len() {
                count += 1;
                let Some(candidate) = line.candidate(place) else {
                    continue;
                };
                for candidate in on_gpus(&candidate, options.gpu) {
                    let Ok(estimated) = estimate(&candidate) else {
                        continue;
                    };
                    if fits(&estimated.report, options.headroom) {
                        let figures = Figures {
                            most: most_work(&candidate, &estimated.report),
                            ..Figures::from(&estimated.report)
                        };
                        let mut plan = RunPlan::new(asked, candidate, &figures);
                        if options.gpu == GpuModel::Any {
                            plan.compared = estimated.report.device.usable;
                        }
                        fitting.push(plan);
                    }
                }
            }
        }
    }
    (fitting, count)
}

/// Points that no other one is as good as in all, and better in something.
fn best(all: &BTreeSet<Point>) -> BTreeSet<Point> {
    let beats = |(costs, altered): &Point, (others, other): &Point| {
        let alters_less = altered.iter().all(|one| other.contains(one));
        let costs_less = costs.iter().zip(others).all(|(own, other)| own <= other);
        alters_less && costs_less && (costs != others || altered != other)
    };
    let is_best = |point: &&Point| !all.iter().any(|other| beats(other, point));
    all.iter().filter(is_best).cloned().collect()
}

/// The search finds what all estimates together find; how many it makes, of how many.
fn compare(asked: &Scenario, options: &PlanOptions) -> [u64; 2] {
    let found = plans(asked, options);
    let (all, count) = all_that_fit(asked, options);
    assert_eq!(points(&found.plans), best(&points(&all)));
    assert_eq!(found.candidates, count);
    let rejected: u64 = found.rejected.iter().map(|group| group.count).sum();
    assert_eq!(
        rejected + found.plans.len() as u64,
        count,
        "{:?}",
        found.rejected
    );
    [found.estimated, count]
}

fn small(more: &Value) -> Scenario {
    let mut value = json!({
        "model": "qwen2.5-0.5b", "seq_len": 512, "micro_batch_size": 16, "precision": "fp32",
        "model_overrides": {"num_hidden_layers": 3}, "hardware": {"gpu": "rtx-4060"},
    });
    for (key, own) in more.as_object().expect("an object") {
        value[key] = own.clone();
    }
    scenario(&value)
}

#[test]
fn one_gpu_has_the_plans_that_all_estimates_together_find() {
    let [estimated, count] = compare(&small(&json!({})), &PlanOptions::default());
    assert!(estimated * 4 < count * 3, "{estimated} of {count}");
}

#[test]
fn adapters_are_added_where_they_are_allowed() {
    let options = PlanOptions {
        allowed: Adapters::ALL.to_vec(),
        ..locked(&[
            Freedom::Attention,
            Freedom::Optimizer,
            Freedom::Loss,
            Freedom::Offload,
        ])
    };
    let asked = small(&json!({"precision": "bf16"}));
    compare(&asked, &options);
    let found = plans(&asked, &options);
    let altered = |wanted: Altered| {
        found
            .plans
            .iter()
            .any(|plan| plan.altered.contains(&wanted))
    };
    assert!(altered(Altered::Lora) && altered(Altered::Quantization));
    let without = plans(&asked, &locked(&[Freedom::Attention]));
    assert!(
        without
            .plans
            .iter()
            .all(|plan| plan.scenario.lora.is_none())
    );
}

#[test]
fn several_gpus_have_the_plans_that_all_estimates_together_find() {
    let asked = small(&json!({
        "precision": "bf16", "micro_batch_size": 2,
        "hardware": {"gpu": "rtx-4060", "gpus_per_node": 4},
    }));
    let options = locked(&[Freedom::Attention, Freedom::Optimizer]);
    let [estimated, count] = compare(&asked, &options);
    assert!(estimated < count, "{estimated} of {count}");
    let found = plans(&asked, &options);
    assert!(found.plans.len() > 2, "{found:?}");
    assert!(found.plans.iter().all(|plan| plan.gpus == 4));
}

#[test]
fn plans_estimated_again_give_the_promised_bytes() {
    for (model, hardware) in [
        (
            "llama-3.2-1b",
            json!({"gpu": "rtx-4090", "gpus_per_node": 2}),
        ),
        ("qwen2.5-1.5b", json!({"gpu": "rtx-4090"})),
        ("gpt2", json!({"gpu": "rtx-4060"})),
        ("t5-base", json!({"gpu": "rtx-4090", "gpus_per_node": 2})),
    ] {
        let asked = scenario(&json!({
            "model": model, "precision": "bf16", "micro_batch_size": 2, "hardware": hardware,
        }));
        let found = plans(&asked, &locked(&[Freedom::Attention, Freedom::Optimizer]));
        assert!(!found.plans.is_empty(), "{model}: {:?}", found.rejected);
        for plan in found.plans {
            let report = estimate(&plan.scenario).expect("a report").report;
            assert!(fits(&report, 10), "{model}");
            let again = [report.device.total, report.host.peak.total];
            assert_eq!([plan.device, plan.host], again, "{model}");
            if plan.scenario.parallelism.pp.size == 1 {
                let device = report.device;
                assert_eq!(plan.compute, device.compute, "{model}");
                assert_eq!(plan.communication, device.communication, "{model}");
            }
            let batch = super::candidates::global_batch(&asked);
            assert_eq!(report.global_batch_size, batch, "{model}");
        }
    }
}

#[test]
fn fewer_gpus_are_plans_where_any_number_will_do() {
    let asked = small(&json!({"precision": "bf16", "micro_batch_size": 8}));
    let options = PlanOptions {
        gpus: Gpus::Any,
        ..locked(&[
            Freedom::Attention,
            Freedom::Optimizer,
            Freedom::Offload,
            Freedom::ActivationCheckpointing,
        ])
    };
    let found = plans(&asked, &options);
    let gpus: BTreeSet<u64> = found.plans.iter().map(|plan| plan.gpus).collect();
    assert!(gpus.len() > 1, "{gpus:?}");
    assert!(gpus.iter().all(|gpus| gpus.is_power_of_two()));
}

#[test]
fn any_gpu_has_the_plans_that_estimates_on_every_gpu_find() {
    let asked = small(&json!({
        "precision": "bf16", "micro_batch_size": 64, "seq_len": 2048,
        "hardware": {"gpu": "rtx-4060", "gpus_per_node": 2},
    }));
    let options = PlanOptions {
        gpu: GpuModel::Any,
        ..locked(&[Freedom::Attention, Freedom::Optimizer, Freedom::Offload])
    };
    let [estimated, count] = compare(&asked, &options);
    let found = plans(&asked, &options).plans;
    let gpus: BTreeSet<&str> = (found.iter())
        .map(|plan| plan.scenario.hardware.gpu.as_str())
        .collect();
    assert!(gpus.len() > 3, "{gpus:?}");
    assert!(estimated <= count, "{estimated} of {count}");
    for plan in &found {
        let others = on_gpus(&plan.scenario, GpuModel::Any).into_iter();
        for other in others {
            let report = estimate(&other).expect("a report").report;
            let smaller = report.device.usable < plan.compared;
            assert!(!(smaller && fits(&report, 10)), "{}", other.hardware.gpu);
        }
    }
}

/// Notes whether requested scenarios were announced before.
#[derive(Default)]
struct Foresight {
    coming: Vec<Scenario>,
    asked: usize,
    foreseen: usize,
}

impl Estimator for Foresight {
    fn figures(&mut self, scenario: &Scenario) -> Option<Answer> {
        assert_eq!(self.coming.first(), Some(scenario), "it comes next");
        self.asked += 1;
        Some(Figures::of(scenario))
    }

    fn prepare(&mut self, coming: &mut dyn Iterator<Item = Scenario>) {
        let before = std::mem::replace(&mut self.coming, coming.take(8).collect());
        let next = self.coming.first();
        let said = next.is_some_and(|next| before.iter().skip(1).any(|of| of == next));
        self.foreseen += usize::from(said);
    }
}

#[test]
fn what_is_asked_for_next_was_said_to_come_but_for_what_is_ruled_out() {
    let asked = scenario(&json!({
        "model": "qwen2.5-0.5b", "model_overrides": {"num_hidden_layers": 2}, "precision": "bf16",
        "micro_batch_size": 8, "seq_len": 512, "hardware": {"gpu": "rtx-4060", "gpus_per_node": 2},
    }));
    let mut planner = Planner::new(&asked, &PlanOptions::default());
    let mut by = Foresight::default();
    while planner.advance(&mut by) == Progress::Further {}
    let Foresight {
        asked, foreseen, ..
    } = by;
    assert!(
        asked > 50 && foreseen * 10 > asked * 8,
        "{foreseen} of {asked}"
    );
}

#[test]
fn a_lock_that_leaves_no_plan_is_named_with_the_nearest_plan_without_it() {
    let asked = scenario(&json!({
        "model": "qwen2.5-1.5b", "precision": "fp32", "hardware": {"gpu": "rtx-4090"},
    }));
    let locks = [Freedom::Precision, Freedom::Optimizer, Freedom::Offload];
    let found = plans(&asked, &locked(&locks));
    assert_eq!(found.plans, []);
    let nearest = found.nearest.expect("a plan without a lock");
    assert_eq!(nearest.without.len(), 1, "{:?}", nearest.without);
    let [lock] = nearest.without[..] else { return };
    let without: Vec<Freedom> = locks.into_iter().filter(|other| *other != lock).collect();
    let plans = plans(&asked, &locked(&without)).plans;
    assert!(plans.contains(&nearest.plan));
    let fewest = plans.iter().map(|plan| plan.changes.len()).min();
    assert_eq!(fewest, Some(nearest.plan.changes.len()));
}

#[test]
fn nothing_is_found_where_nothing_fits() {
    let asked = scenario(&json!({
        "model": "llama-3.1-70b", "precision": "bf16", "hardware": {"gpu": "rtx-4060"},
    }));
    let found = plans(&asked, &PlanOptions::default());
    assert_eq!((found.plans.len(), found.nearest), (0, None));
    let short =
        |group: &Rejection| matches!(group.why, Why::Short { by, .. } if by.get() > 1 << 30);
    assert!(found.rejected.iter().any(short), "{:?}", found.rejected);
    assert!(found.estimated < found.candidates);
}
