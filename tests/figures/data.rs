//! What the figures are fed with: steps as PyTorch ran them, and runs of the engine.

use highwater::report::{Composition, Estimate, PhaseReport, StepReport, from_trace};
use highwater::sim::{Phase, simulate};
use highwater::spec::{ModelRef, Scenario, resolve};
use highwater::tape::Category;
use highwater::units::Bytes;
use serde_json::Value;

const STEPS: &str = include_str!("../fixtures/figures/steps.jsonl");

fn bytes(value: &Value) -> Bytes {
    Bytes(value.as_u64().expect("fixtures hold whole bytes"))
}

fn phase_report(phase: Phase, value: &Value) -> PhaseReport {
    let mut composition = Composition::default();
    for (name, size) in value["composition"].as_object().expect("a composition") {
        let category = Category::from_name(name).expect("a known category");
        composition.add(category, bytes(size).get());
    }
    PhaseReport {
        phase,
        peak_tensor: bytes(&value["peak_tensor"]),
        peak_allocated: bytes(&value["peak_allocated"]),
        peak_reserved: bytes(&value["peak_reserved"]),
        composition,
    }
}

/// The steady step of Qwen2.5-1.5B in fp32 with foreach AdamW and this many samples.
pub fn step(micro_batch_size: u64) -> StepReport {
    let line = STEPS
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("fixtures are JSON"))
        .find(|line| line["scenario"]["micro_batch_size"] == micro_batch_size)
        .expect("a step with this batch size");
    let phases: Vec<PhaseReport> = Phase::ALL
        .iter()
        .filter_map(|&phase| {
            let value = line["steady_step"]["phases"].get(phase.name())?;
            let empty = value["composition"]
                .as_object()
                .is_none_or(serde_json::Map::is_empty);
            (!empty).then(|| phase_report(phase, value))
        })
        .collect();
    let peak = *phases
        .iter()
        .max_by_key(|phase| phase.peak_tensor)
        .expect("a step has phases");
    StepReport { phases, peak }
}

/// A run of the engine: its timeline and its peaks.
pub fn run(change: impl FnOnce(&mut Scenario)) -> Estimate {
    let mut scenario = Scenario {
        model: ModelRef::Catalog("qwen2.5-1.5b".into()),
        ..Scenario::default()
    };
    change(&mut scenario);
    let spec = resolve(&scenario).spec.expect("a scenario that can be run");
    from_trace(&spec, Vec::new(), &simulate(&spec)).expect("a run has phases")
}
