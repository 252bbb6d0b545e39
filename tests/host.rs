//! Host RAM against what was measured on Linux: every line of `tests/fixtures/host.jsonl`.

use highwater::report::{Accuracy, Selection, read_cases};

/// Highest median error of the true total, of all figures and of each group.
const MEDIAN_GOAL: f64 = 0.10;
/// Highest 95th percentile.
const P95_GOAL: f64 = 0.25;

const MEASURED: &str = include_str!("fixtures/host.jsonl");
/// A later run, from which no number of the model was taken.
const SECOND_RUN: &str = include_str!("fixtures/host_second_run.jsonl");

fn accuracy(lines: &str) -> Accuracy {
    let cases = read_cases(lines).expect("a readable fixture");
    let worst = Selection {
        worst: 10,
        ..Selection::default()
    };
    Accuracy::of(&cases, &worst)
}

#[track_caller]
fn assert_goals(lines: &str) {
    let accuracy = accuracy(lines);
    println!("{accuracy}");
    let written = lines.lines().count();
    assert_eq!(
        accuracy.compared(),
        written,
        "{:?}",
        accuracy.not_supported()
    );
    assert!(accuracy.goals().iter().all(|goal| goal.met));
}

#[test]
fn host_memory_is_within_ten_percent_of_what_linux_showed() {
    assert_goals(MEASURED);
}

#[test]
fn a_run_that_no_number_was_taken_from_is_as_close() {
    assert_goals(SECOND_RUN);
}

#[test]
fn every_way_to_hold_a_data_set_is_within_the_goals_by_itself() {
    for (group, errors) in accuracy(MEASURED).host_errors() {
        assert!(errors.median <= MEDIAN_GOAL, "{group}: {errors:?}");
        assert!(errors.p95 <= P95_GOAL, "{group}: {errors:?}");
    }
}
