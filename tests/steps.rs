//! Many steps of differing length against PyTorch: what each of them allocated and reserved, and in which it ran out of
//! memory. `cargo test --test steps -- --nocapture` prints what differs.

use highwater::ask::Scenario;
use highwater::codec::decode_json;
use highwater::report::{ManySteps, Running, StepsRun};
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;

/// A measured run.
#[derive(Deserialize)]
struct Case {
    id: String,
    scenario: Value,
    /// Of each micro-batch.
    lengths: Vec<u64>,
    expect: Expected,
}

/// What each step allocated and reserved at most, and reserved at its end; the step that ran out of memory, from 0.
#[derive(Deserialize)]
struct Expected {
    steps: Vec<[u64; 3]>,
    out_of_memory: Option<u64>,
}

fn cases() -> Vec<Case> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/steps.jsonl");
    let text = std::fs::read_to_string(path).expect("the fixture");
    let lines = text.lines().filter(|line| line.starts_with('{'));
    lines
        .map(|line| serde_json::from_str(line).expect("a case"))
        .collect()
}

fn run(scenario: &Scenario, lengths: &[u64]) -> Result<StepsRun, String> {
    let many = ManySteps::new(scenario, lengths).and_then(ManySteps::complete);
    let many = many.map_err(|findings| format!("{:?}", findings[0].message))?;
    let expandable = scenario.allocator.expandable_segments;
    let limited = scenario.memory_limit.is_some();
    Ok(Running::new(Arc::new(many), lengths.to_vec(), expandable, limited).complete())
}

/// By how much a number is off, in percent.
fn off(found: u64, expected: u64) -> f64 {
    (found as f64 / expected as f64 - 1.0).abs() * 100.0
}

/// Median, 95th percentile and worst.
fn shares(mut all: Vec<f64>) -> [f64; 3] {
    all.sort_by(f64::total_cmp);
    let last = all.len() - 1;
    [all[last / 2], all[(last * 95).div_ceil(100)], all[last]]
}

#[test]
fn steps_of_differing_length_hold_what_pytorch_held() {
    let all = cases();
    let (mut allocated, mut reserved, mut ends, mut limited) = (Vec::new(), Vec::new(), 0, 0);
    for case in &all {
        let (scenario, findings) = decode_json(&case.scenario.to_string());
        assert!(findings.is_empty(), "{}: {findings:?}", case.id);
        let found = match run(&scenario, &case.lengths) {
            Ok(found) => found,
            Err(why) => {
                println!("{}: {why}", case.id);
                continue;
            }
        };
        let expected = &case.expect;
        if scenario.memory_limit.is_some() {
            let end = found.failure.map(|_| found.steps.len() as u64);
            limited += 1;
            ends += u64::from(end == expected.out_of_memory);
            if end != expected.out_of_memory {
                println!(
                    "{}: ends at {end:?}, not {:?}",
                    case.id, expected.out_of_memory
                );
            }
        }
        let steps = found.steps.iter().zip(&expected.steps);
        let (mut worst, mut at) = ([0.0_f64; 2], 0);
        for (place, (step, &[alloc, reserve, _])) in steps.enumerate() {
            let both = [
                off(step.peak_allocated.get(), alloc),
                off(step.peak_reserved.get(), reserve),
            ];
            if both[0].max(both[1]) > worst[0].max(worst[1]) {
                (worst, at) = (both, place);
            }
            allocated.push(both[0]);
            reserved.push(both[1]);
        }
        if worst != [0.0; 2] {
            println!("{}: step {at} {:.4} % {:.4} %", case.id, worst[0], worst[1]);
        }
    }
    let equal = |all: &[f64]| {
        100.0 * all.iter().filter(|&&off| off == 0.0).count() as f64 / all.len() as f64
    };
    let steps = allocated.len();
    let equals = [equal(&allocated), equal(&reserved)];
    let [allocated, reserved] = [shares(allocated), shares(reserved)];
    println!(
        "{} cases, {steps} steps: allocated equal {:.1} %, off {allocated:?}; reserved equal {:.1} %, off {reserved:?}; {ends} of {limited} ends",
        all.len(),
        equals[0],
        equals[1]
    );
}
