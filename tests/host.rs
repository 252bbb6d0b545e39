//! Host RAM against what was measured on Linux: every line of `tests/fixtures/host.jsonl`.

use highwater::report::{Accuracy, Selection, read_cases};

/// Highest median error of the true total, of all figures and of each group.
const MEDIAN_GOAL: f64 = 0.10;
/// Highest 95th percentile.
const P95_GOAL: f64 = 0.25;

fn accuracy() -> Accuracy {
    let cases = read_cases(include_str!("fixtures/host.jsonl")).expect("a readable fixture");
    let worst = Selection {
        worst: 10,
        ..Selection::default()
    };
    Accuracy::of(&cases, &worst)
}

#[test]
fn host_memory_is_within_ten_percent_of_what_linux_showed() {
    let accuracy = accuracy();
    println!("{accuracy}");
    let lines = include_str!("fixtures/host.jsonl").lines().count();
    assert_eq!(accuracy.compared(), lines, "{:?}", accuracy.not_supported());
    assert!(accuracy.goals().iter().all(|goal| goal.met));
}

#[test]
fn every_way_to_hold_a_data_set_is_within_the_goals_by_itself() {
    for (group, errors) in accuracy().host_errors() {
        assert!(errors.median <= MEDIAN_GOAL, "{group}: {errors:?}");
        assert!(errors.p95 <= P95_GOAL, "{group}: {errors:?}");
    }
}
