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
    /// The length of each micro-batch.
    lengths: Vec<u64>,
    expect: Expected,
}

/// The peaks of allocated and of reserved bytes of each step, and bytes reserved at its end; the index of the step that
/// ran out of memory.
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

/// The error of a number, in percent.
fn off(found: u64, expected: u64) -> f64 {
    (found as f64 / expected as f64 - 1.0).abs() * 100.0
}

/// Median, 95th percentile and worst.
fn shares(mut all: Vec<f64>) -> [f64; 3] {
    all.sort_by(f64::total_cmp);
    let last = all.len() - 1;
    [all[last / 2], all[(last * 95).div_ceil(100)], all[last]]
}

/// The results of the comparison.
#[derive(Default)]
struct Compared {
    cases: usize,
    /// The error of each step, in percent.
    allocated: Vec<f64>,
    reserved: Vec<f64>,
    /// Number of runs under a limit, and of the ones that ended in the step in which PyTorch's did.
    limited: usize,
    ends: usize,
}

impl Compared {
    fn add(&mut self, case: &Case) {
        let (mut scenario, findings) = decode_json(&case.scenario.to_string());
        assert!(findings.is_empty(), "{}: {findings:?}", case.id);
        // The limit counts, not the GPU.
        scenario.hardware.gpu_memory = Some(256 << 30);
        let found = run(&scenario, &case.lengths);
        let found = found.unwrap_or_else(|why| panic!("{}: {why}", case.id));
        let expected = &case.expect;
        self.cases += 1;
        if scenario.memory_limit.is_some() {
            let end = found.failure.map(|_| found.steps.len() as u64);
            self.limited += 1;
            self.ends += usize::from(end == expected.out_of_memory);
            if end != expected.out_of_memory {
                let other = expected.out_of_memory;
                println!("{}: ends at {end:?}, not {other:?}", case.id);
            }
        }
        let mut worst = (0.0_f64, String::new());
        let steps = found.steps.iter().zip(&expected.steps).enumerate();
        for (place, (step, &[allocated, reserved, _])) in steps {
            let allocated = off(step.peak_allocated.get(), allocated);
            let reserved = off(step.peak_reserved.get(), reserved);
            if allocated.max(reserved) > worst.0 {
                let said = format!("step {place} {allocated:.4} % {reserved:.4} %");
                worst = (allocated.max(reserved), said);
            }
            self.allocated.push(allocated);
            self.reserved.push(reserved);
        }
        if worst.0 > 0.0 {
            println!("{}: {}", case.id, worst.1);
        }
    }
}

/// As tests/ACCURACY.md has it: the share that is equal, and how far off the others are.
fn row(all: &[f64]) -> String {
    let equal = all.iter().filter(|&&off| off <= 0.0).count() as f64;
    let [median, p95, worst] = shares(all.to_vec());
    let equal = 100.0 * equal / all.len() as f64;
    format!("equal in {equal:.1} %, {median:.2} / {p95:.2} / {worst:.2} % off")
}

#[test]
fn steps_of_differing_length_hold_what_pytorch_held_as_the_table_of_accuracy_says() {
    let mut compared = Compared::default();
    for case in cases() {
        compared.add(&case);
    }
    let Compared {
        cases,
        allocated,
        reserved,
        limited,
        ends,
    } = compared;
    let steps = allocated.len();
    let (allocated, reserved) = (row(&allocated), row(&reserved));
    let said = format!(
        "{cases} runs of {steps} steps of differing length: `max_memory_allocated` of a step is {allocated}, `max_memory_reserved` {reserved}; of {limited} runs under a limit {ends} ended in the step in which PyTorch's did"
    );
    println!("{said}");
    let accuracy = include_str!("ACCURACY.md").split_whitespace();
    let accuracy = accuracy.collect::<Vec<_>>().join(" ");
    assert!(accuracy.contains(&said), "{said}");
}
