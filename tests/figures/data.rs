//! The data of the figures: steps as PyTorch ran them, and runs of the engine.

use highwater::ask::{ModelRef, Scenario};
use highwater::decide;
use highwater::report::{self, Composition, Estimate, PhaseReport, StepReport, Sweep};
use highwater::sim::Phase;
use highwater::tape::Category;
use highwater::units::Bytes;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock, PoisonError};

const STEPS: &str = include_str!("../fixtures/figures/steps.jsonl");

fn bytes(value: &Value) -> Bytes {
    Bytes(value.as_u64().expect("fixtures hold whole bytes"))
}

fn phase_report(phase: Phase, value: &Value) -> PhaseReport {
    let mut composition = Composition::default();
    for (name, size) in value["composition"].as_object().expect("a composition") {
        let category = Category::from_name(name).expect("a known category");
        composition.change(category, bytes(size).get());
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

fn scenario(micro_batch_size: u64, gradient_accumulation_steps: u64) -> Scenario {
    Scenario {
        model: ModelRef::Catalog("qwen2.5-1.5b".into()),
        micro_batch_size,
        gradient_accumulation_steps,
        ..Scenario::default()
    }
}

/// A run of the engine with Qwen2.5-1.5B in fp32, foreach AdamW and 256 tokens. Tests share runs,
/// since they take a while unoptimized.
pub fn run(micro_batch_size: u64, gradient_accumulation_steps: u64) -> &'static Estimate {
    static RUNS: Mutex<BTreeMap<(u64, u64), &Estimate>> = Mutex::new(BTreeMap::new());
    let key = (micro_batch_size, gradient_accumulation_steps);
    let mut runs = RUNS.lock().unwrap_or_else(PoisonError::into_inner);
    runs.entry(key).or_insert_with(|| {
        let run = report::estimate(&scenario(micro_batch_size, gradient_accumulation_steps));
        Box::leak(Box::new(run.expect("a scenario that can be run")))
    })
}

/// A sweep of that model over batch sizes up to 64, on the GPU that a scenario has by default.
pub fn sweep() -> &'static Sweep {
    static SWEEP: OnceLock<Sweep> = OnceLock::new();
    SWEEP.get_or_init(|| decide::sweep(&scenario(2, 1), &[1, 2, 4, 8, 16, 32, 64]))
}
