//! Estimates against training memory that others measured on real GPUs and published. Nothing is fitted to them: large
//! differences are explained, line by line, in `published_differences.md`.

use highwater::ask::{Scenario, Severity};
use highwater::codec::decode_json;
use highwater::report::{Accuracy, Case, Published, Selection, estimate, read_cases};
use highwater::resolve::resolve;
use highwater::text::english;
use std::collections::BTreeSet;

/// From here on a difference must be explained.
const EXPLAINED_FROM: f64 = 0.10;
/// Up to here a difference needs no explanation.
const CLOSE: f64 = 0.05;
/// A source that names all versions and options.
const COMPLETE: &str = "foundation-model-stack/fms-acceleration";
/// Others that measured runs on several GPUs.
const ON_SEVERAL: [&str; 1] = ["AnswerDotAI/fsdp_qlora"];

fn published() -> (Accuracy, Vec<Published>) {
    let mut cases = read_cases(include_str!("fixtures/published.jsonl")).expect("cases");
    for case in &mut cases {
        let (scenario, findings) = decode_json(&case.written.to_string());
        assert!(findings.is_empty(), "{}: {findings:?}", case.id);
        case.scenario = Ok(scenario);
    }
    // A model of an unknown type is estimated by its sizes, with a warning: that proves nothing.
    cases.retain(|case| !case.scenario.as_ref().is_ok_and(is_unknown));
    let accuracy = Accuracy::of(&cases, &Selection::default(), english);
    let figures = accuracy.published();
    (accuracy, figures)
}

fn is_unknown(scenario: &Scenario) -> bool {
    let findings = resolve(scenario).findings;
    let mut warnings = findings.iter().filter(|f| f.severity == Severity::Warning);
    warnings.any(|finding| finding.key.starts_with("model"))
}

/// Rows that are explained.
fn explained(table: &'static str) -> BTreeSet<&'static str> {
    table
        .lines()
        .filter_map(|line| line.strip_prefix("- ")?.split_once(": "))
        .inspect(|(id, reason)| assert!(reason.len() > 10, "{id} is explained"))
        .map(|(id, _)| id)
        .collect()
}

/// Host memory: the error of a row, as a share.
fn host_errors() -> Vec<(String, f64)> {
    let cases = read_cases(include_str!("fixtures/published_host.jsonl")).expect("cases");
    let error = |case: &Case| {
        let scenario = case.scenario.as_ref().expect("a scenario");
        let host = estimate(scenario).expect(&case.id).report.host;
        let expected = case.expected.host.as_ref().expect("host memory");
        let phase = expected.phase.unwrap_or(host.peak.phase);
        let found = host.phases.iter().find(|found| found.phase == phase);
        let found = found.expect("the phase").total.get() as f64;
        let measured = expected.total.expect("a total") as f64;
        (found - measured).abs() / measured
    };
    cases
        .iter()
        .map(|case| (case.id.clone(), error(case)))
        .collect()
}

#[test]
fn published_host_memory_is_met_or_its_difference_is_explained() {
    let explained = explained(include_str!("fixtures/published_host_differences.md"));
    let errors = host_errors();
    assert_eq!(errors.len(), 23);
    for (id, error) in &errors {
        let is_explained = explained.contains(id.as_str());
        assert_eq!(*error > EXPLAINED_FROM, is_explained, "{id} is {error} off");
    }
    // Offload by DeepSpeed on one and four GPUs, as people watched it.
    for id in ["issue-001", "issue-010"] {
        let (_, error) = errors.iter().find(|(row, _)| row == id).expect(id);
        assert!(*error < CLOSE, "{id} is {error} off");
    }
}

#[test]
fn published_figures_are_met_or_their_difference_is_explained() {
    let (accuracy, figures) = published();
    println!("{accuracy}");
    let explained = explained(include_str!("fixtures/published_differences.md"));
    for figure in &figures {
        let (id, error) = (figure.id.as_str(), figure.error());
        if error > EXPLAINED_FROM {
            assert!(explained.contains(id), "{id} is {error} off, unexplained");
        }
    }
    let off = |id: &str| figures.iter().any(|f| f.id == id && f.error() > CLOSE);
    for id in explained {
        assert!(off(id), "{id} is explained, but not off");
    }
}

/// The names of cases on several GPUs.
fn on_several_gpus() -> BTreeSet<String> {
    let cases = read_cases(include_str!("fixtures/published.jsonl")).expect("cases");
    let several = |case: &Case| {
        let scenario = case.scenario.as_ref().expect("a scenario");
        scenario.parallelism.dp.size.unwrap_or(1) > 1
    };
    let several = cases.into_iter().filter(several);
    several.map(|case| case.id).collect()
}

#[test]
fn runs_on_several_gpus_are_met_within_one_percent() {
    let (_, figures) = published();
    let several = on_several_gpus();
    let of = |source: &str, figure: &str| {
        let wanted = |found: &&Published| found.source == source && several.contains(&found.id);
        let found = figures.iter().filter(wanted);
        let mut errors: Vec<f64> = (found.filter(|found| found.figure == figure))
            .map(Published::error)
            .collect();
        errors.sort_by(f64::total_cmp);
        errors
    };
    for figure in ["peak_allocated", "allocated_at_end"] {
        let errors = of(COMPLETE, figure);
        assert!(errors.len() >= 32, "{figure} {errors:?}");
        assert!(errors[errors.len() / 2] <= 0.0002, "{figure} {errors:?}");
        assert!(
            errors[errors.len() * 95 / 100] <= 0.03,
            "{figure} {errors:?}"
        );
    }
    let worst = of(COMPLETE, "peak_allocated").pop();
    assert!(worst.is_some_and(|worst| worst <= 0.01), "{worst:?}");
    for source in ON_SEVERAL {
        let errors = of(source, "peak_reserved");
        assert!(errors[errors.len() / 2] <= CLOSE, "{source} {errors:?}");
    }
}

#[test]
fn a_source_that_says_everything_is_met_within_one_percent() {
    let (_, figures) = published();
    let complete = figures.iter().filter(|figure| figure.source == COMPLETE);
    let allocated = complete.filter(|figure| figure.figure == "peak_allocated");
    let mut errors: Vec<f64> = allocated.map(Published::error).collect();
    errors.sort_by(f64::total_cmp);
    assert!(errors.len() >= 3, "{errors:?}");
    assert!(errors[errors.len() / 2] <= 0.01, "{errors:?}");
    assert!(errors[errors.len() - 1] <= CLOSE, "{errors:?}");
}
