//! Host RAM against what was measured on Linux: every line of `tests/fixtures/host.jsonl`.

use highwater::host::{self, HostEstimate, HostInputs, HostPart, HostPhase, PageCachePart};
use highwater::spec::{self, Scenario};
use highwater::units::Bytes;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Highest median error of the true total that is allowed, in percent.
const MEDIAN_GOAL: f64 = 10.0;
/// Highest 95th percentile.
const P95_GOAL: f64 = 25.0;

#[derive(Deserialize)]
struct Line {
    exp: String,
    config: Value,
    scenario: Scenario,
    #[serde(default)]
    inputs: Inputs,
    expect: Expect,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Inputs {
    parameter_bytes: u64,
    saved_parameter_bytes: u64,
    vocab_size: u64,
}

#[derive(Deserialize)]
struct Expect {
    host: HostExpect,
}

#[derive(Deserialize)]
struct HostExpect {
    phase: HostPhase,
    total: Option<u64>,
    #[serde(default)]
    data_pages: bool,
    part: Option<HostPart>,
    bytes: Option<u64>,
}

/// One comparison.
struct Compared {
    group: String,
    what: String,
    predicted: f64,
    measured: f64,
    /// Error of the node's total in percent.
    of_total: f64,
}

fn lines() -> Vec<Line> {
    include_str!("fixtures/host.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line of the fixture"))
        .collect()
}

fn estimate(line: &Line) -> HostEstimate {
    let resolution = spec::resolve(&line.scenario);
    let spec = resolution
        .spec
        .unwrap_or_else(|| panic!("{}: {:?}", line.config, resolution.findings));
    let inputs = HostInputs {
        parameter_bytes: Bytes(line.inputs.parameter_bytes),
        saved_parameter_bytes: Bytes(line.inputs.saved_parameter_bytes),
        vocab_size: line.inputs.vocab_size,
        ..HostInputs::default()
    };
    host::estimate(&spec, &inputs)
}

fn compare(line: &Line) -> Compared {
    let estimate = estimate(line);
    let expect = &line.expect.host;
    let phase = estimate
        .phases
        .iter()
        .find(|phase| phase.phase == expect.phase)
        .expect("every phase is reported");
    let mut total = phase.total;
    if expect.data_pages {
        let parts = &estimate.page_cache_parts;
        let found = parts
            .iter()
            .find(|(part, _)| *part == PageCachePart::Dataset);
        total += found.map_or(Bytes::ZERO, |(_, bytes)| *bytes);
    }
    let (predicted, measured, total_measured) = match (expect.total, expect.part, expect.bytes) {
        (Some(measured), None, None) => (total, measured, measured as f64),
        (None, Some(part), Some(measured)) => {
            let found = phase.composition.iter().find(|(p, _)| *p == part);
            let predicted = found.map_or(Bytes::ZERO, |(_, bytes)| *bytes);
            // The rest of the process was not measured in these runs and is taken from the model.
            let rest = (total - predicted).get();
            (predicted, measured, (rest + measured) as f64)
        }
        _ => panic!("{}: expect a total or a part with its bytes", line.config),
    };
    let (predicted, measured) = (predicted.get() as f64, measured as f64);
    let what = expect.part.map_or("total", HostPart::name).to_owned();
    Compared {
        group: format!("{} {what}", line.exp),
        what: line.config.to_string(),
        predicted,
        measured,
        of_total: (predicted - measured).abs() / total_measured * 100.0,
    }
}

fn percentile(sorted: &[f64], percent: usize) -> f64 {
    sorted[(sorted.len() - 1) * percent / 100]
}

#[test]
fn host_memory_is_within_ten_percent_of_what_linux_showed() {
    let compared: Vec<Compared> = lines().iter().map(compare).collect();
    let mut groups: BTreeMap<&str, Vec<&Compared>> = BTreeMap::new();
    for one in &compared {
        groups.entry(&one.group).or_default().push(one);
        groups.entry("all").or_default().push(one);
    }
    println!(
        "{:32} {:>4} {:>22} {:>22}",
        "host", "n", "total: median p95 max", "figure: median max"
    );
    for (group, members) in &groups {
        let sorted = |errors: Vec<f64>| {
            let mut errors = errors;
            errors.sort_by(f64::total_cmp);
            errors
        };
        let totals = sorted(members.iter().map(|one| one.of_total).collect());
        let own = |one: &&Compared| {
            (one.predicted - one.measured).abs() / one.measured.abs().max(1e6) * 100.0
        };
        let parts = sorted(members.iter().map(own).collect());
        println!(
            "{group:32} {:>4} {:>7.2}{:>7.2}{:>7.2}% {:>12.2}{:>8.2}%",
            members.len(),
            percentile(&totals, 50),
            percentile(&totals, 95),
            percentile(&totals, 100),
            percentile(&parts, 50),
            percentile(&parts, 100),
        );
        if *group != "all" {
            let worst = members
                .iter()
                .max_by(|a, b| a.of_total.total_cmp(&b.of_total));
            if let Some(worst) = worst {
                println!(
                    "     worst: {:.1} MB for {:.1} MB: {}",
                    worst.predicted / 1e6,
                    worst.measured / 1e6,
                    worst.what
                );
            }
        }
        assert!(percentile(&totals, 50) <= MEDIAN_GOAL, "median of {group}");
        assert!(percentile(&totals, 95) <= P95_GOAL, "p95 of {group}");
    }
}
