//! Graphs that `torch.export` wrote against what PyTorch's own training steps of the same models took:
//! `cargo test --test exported -- --nocapture` prints the table. With `EXPORTED_CASES` it reads another file of cases, beside
//! which the graphs are.

use highwater::ask::{ModelRef, Scenario, Severity};
use highwater::codec::{awaited_graph, decode_json, hand_graph};
use highwater::exported::{Graph, read};
use highwater::report::estimate;
use highwater::resolve::resolve;
use highwater::text::english;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A measured case.
struct Case {
    name: String,
    scenario: Scenario,
    expect: Value,
}

/// The result of a case.
struct Outcome {
    name: String,
    precision: String,
    /// Tensor peak of the steady step: estimated and measured.
    peak: [u64; 2],
    reserved: [u64; 2],
    phase_is_right: bool,
    parameters_are_right: bool,
    /// Phases whose peak is another one, each with the estimated and the measured one.
    phases: Vec<(String, [u64; 2])>,
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

fn cases_file() -> PathBuf {
    let given = std::env::var_os("EXPORTED_CASES");
    given.map_or_else(|| fixture("exported.jsonl"), PathBuf::from)
}

/// The cases of a file, whose graphs are at `place` of where the file says; without those whose graph is not there.
fn cases_at(file: &Path, place: fn(&str) -> String) -> Vec<Case> {
    let text = std::fs::read_to_string(file).expect("cases");
    let folder = file.parent().expect("a folder");
    let only = std::env::var("EXPORTED_ONLY").ok();
    let mut graphs: BTreeMap<String, Arc<Graph>> = BTreeMap::new();
    let mut cases = Vec::new();
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).expect("JSON");
        let name = line["name"].as_str().unwrap_or_default().to_owned();
        if only
            .as_ref()
            .is_some_and(|only| !name.contains(only.as_str()))
        {
            continue;
        }
        let (mut scenario, findings) = decode_json(&line["scenario"].to_string());
        let wrong = findings.iter().filter(|f| f.severity != Severity::Notice);
        let wrong: Vec<String> = wrong.map(|f| english(&f.message)).collect();
        assert!(wrong.is_empty(), "{name}: {wrong:?}");
        let path = awaited_graph(&scenario).expect("a graph").to_owned();
        let path = place(&path);
        if !folder.join(&path).exists() {
            continue;
        }
        let graph = graphs.entry(path.clone()).or_insert_with(|| {
            let file = File::open(folder.join(&path)).expect("the graph");
            Arc::new(read(file).unwrap_or_else(|why| panic!("{path}: {why}")))
        });
        hand_graph(&mut scenario, Arc::clone(graph));
        cases.push(Case {
            name,
            scenario,
            expect: line["expect"].clone(),
        });
    }
    cases
}

fn cases(file: &Path) -> Vec<Case> {
    cases_at(file, str::to_owned)
}

fn outcome(case: &Case) -> Result<Outcome, String> {
    let resolution = resolve(&case.scenario);
    let warned: Vec<String> = resolution
        .findings
        .iter()
        .filter(|f| f.severity != Severity::Notice)
        .map(|f| english(&f.message))
        .collect();
    if resolution.spec.is_none() || warned.iter().any(|w| w.contains("not estimated as")) {
        return Err(warned.join(" "));
    }
    let estimate = estimate(&case.scenario).map_err(|f| format!("{f:?}"))?;
    let report = serde_json::to_value(&estimate.report).expect("JSON");
    let expected = &case.expect["steady_step"];
    let given = &report["device"]["steady_step"];
    let number = |value: &Value| value.as_u64().unwrap_or(0);
    let pair = |key: &str| [number(&given["peak"][key]), number(&expected["peak"][key])];
    let mut phases = Vec::new();
    for (phase, measured) in expected["phases"].as_object().into_iter().flatten() {
        if phase == "zero_grad" {
            continue;
        }
        let all = given["phases"].as_array().into_iter().flatten();
        let own = all.filter(|own| own["phase"] == phase.as_str());
        let own = own
            .map(|own| number(&own["peak_tensor"]))
            .max()
            .unwrap_or(0);
        let measured = number(&measured["peak_tensor"]);
        if own != measured {
            phases.push((phase.clone(), [own, measured]));
        }
    }
    Ok(Outcome {
        name: case.name.clone(),
        precision: case.scenario.precision.name().to_owned(),
        peak: pair("peak_tensor"),
        reserved: pair("peak_reserved"),
        phase_is_right: given["peak"]["phase"] == expected["peak"]["phase"],
        parameters_are_right: report["model"]["num_parameters"] == case.expect["num_parameters"],
        phases,
    })
}

#[test]
fn graphs_take_what_their_models_took() {
    let cases = cases(&cases_file());
    let mut equal: BTreeMap<bool, [usize; 2]> = BTreeMap::new();
    let (mut phases, mut refused) = ([0, 0], 0);
    for case in &cases {
        let full = case.scenario.precision.name() == "fp32";
        let counts = equal.entry(full).or_default();
        counts[1] += 1;
        phases[1] += 1;
        match outcome(case) {
            Err(why) => {
                refused += 1;
                println!("{:40} REFUSED {why}", case.name);
            }
            Ok(made) => {
                let [own, measured] = made.peak;
                let same = own == measured;
                counts[0] += usize::from(same);
                phases[0] += usize::from(made.phase_is_right);
                #[expect(clippy::cast_precision_loss, reason = "a percentage for people")]
                let off = (own as f64 / measured as f64 - 1.0) * 100.0;
                if !same || !made.phase_is_right || !made.parameters_are_right {
                    println!(
                        "{:40} {:8} {own} {measured} {off:+.4} % parameters {} phase {} {:?} reserved {:?}",
                        made.name,
                        made.precision,
                        made.parameters_are_right,
                        made.phase_is_right,
                        made.phases,
                        made.reserved
                    );
                }
            }
        }
    }
    println!("equal: {equal:?}, phases {phases:?}, refused {refused}");
    let share = |[same, all]: [usize; 2]| 100 * same / all.max(1);
    for (full, counts) in equal {
        let goal = if full { 95 } else { 88 };
        let percent = share(counts);
        assert!(
            percent >= goal,
            "{percent} % are equal, {goal} % at least (float32: {full})"
        );
    }
    assert!(share(phases) >= 99, "the phase that binds: {phases:?}");
    assert_eq!(refused, 0, "each of these graphs is answered");
}

/// Activation checkpointing, LoRA, quantized layers, and one rank of several under DDP, FSDP and `ZeRO`
/// (`tests/oracle/modules.py`).
#[test]
fn options_of_graphs_take_what_their_models_took() {
    let cases = cases(&fixture("exported_options.jsonl"));
    let (mut equal, mut phases) = (0, 0);
    for case in &cases {
        let made = outcome(case).unwrap_or_else(|why| panic!("{}: {why}", case.name));
        let [own, measured] = made.peak;
        equal += usize::from(own == measured);
        phases += usize::from(made.phase_is_right);
        #[expect(clippy::cast_precision_loss, reason = "a percentage for people")]
        let off = (own as f64 / measured as f64 - 1.0) * 100.0;
        if own != measured {
            println!(
                "{:30} {own} {measured} {off:+.4} % {:?}",
                made.name, made.phases
            );
        }
        assert!(off.abs() < 3.0, "{}: {off:+.4} %", made.name);
    }
    println!("equal: {equal} of {}, phases {phases}", cases.len());
    assert!(
        100 * equal >= 85 * cases.len(),
        "{equal} of {}",
        cases.len()
    );
    assert!(
        100 * phases >= 99 * cases.len(),
        "{phases} of {}",
        cases.len()
    );
}

/// Graphs of which the archive has the source lines, as `torch.export.save` writes them: values live as long as the
/// variables that hold them.
#[test]
fn graphs_with_their_source_are_more_exact_than_without() {
    let file = fixture("exported.jsonl");
    let traced = |path: &str| path.replacen("exported/", "exported/traced/", 1);
    let cases_traced = cases_at(&file, traced);
    assert!(cases_traced.len() > 10, "{}", cases_traced.len());
    let measured = |cases: &[Case]| {
        let (mut equal, mut phases_off) = (0, 0);
        for case in cases {
            let made = outcome(case).unwrap_or_else(|why| panic!("{}: {why}", case.name));
            equal += usize::from(made.peak[0] == made.peak[1]);
            phases_off += made.phases.len();
        }
        [equal, phases_off]
    };
    let names: Vec<&str> = cases_traced.iter().map(|case| case.name.as_str()).collect();
    let mut plain = cases(&file);
    plain.retain(|case| {
        let bf16 = awaited_graph_file(case).ends_with(".bf16.pt2");
        names.contains(&case.name.as_str()) && !bf16
    });
    let [with, without] = [measured(&cases_traced), measured(&plain)];
    println!(
        "equal and phases off, with {with:?} and without {without:?} of {}",
        plain.len()
    );
    assert_eq!(plain.len(), cases_traced.len());
    assert!(with[0] > without[0] && with[1] <= without[1]);
}

/// The path of a case's graph.
fn awaited_graph_file(case: &Case) -> String {
    match &case.scenario.model {
        ModelRef::Exported(model) => model.exported.clone(),
        _ => String::new(),
    }
}
