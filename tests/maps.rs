//! Maps over micro-batch and sequence length, cell by cell beside single estimates.
//!
//! `cargo test --release --test maps -- --ignored --nocapture` compares all 4,096 cells of each scenario.

use highwater::ask::Scenario;
use highwater::codec::decode_json;
use highwater::report::{Cell, Figures, Surveyed, each, survey};
use std::time::Instant;

/// Scenarios of different structures: models, precisions, optimizers, savers, losses, several GPUs.
const SCENARIOS: &str = include_str!("fixtures/inputs/maps.jsonl");

fn scenarios() -> Vec<Scenario> {
    let lines = SCENARIOS.lines().filter(|line| line.starts_with('{'));
    lines.map(|line| decode_json(line).0).collect()
}

fn steps(count: u64, step: u64) -> Vec<u64> {
    (1..=count).map(|place| place * step).collect()
}

/// Compares some cells of a survey with single estimates; the numbers of cells that fit, that do not, and whose totals
/// are exact.
fn compare(scenario: &Scenario, [batches, lengths]: [&[u64]; 2], every: usize) -> [usize; 3] {
    let Some(surveyed) = survey(scenario, batches, lengths) else {
        return [0; 3];
    };
    let cells = lengths.iter().flat_map(|&length| {
        let row = batches.iter();
        row.map(move |&batch| Cell { batch, length })
    });
    let cells: Vec<(Cell, &Surveyed)> = cells.zip(&surveyed).step_by(every).collect();
    let figures = each(&cells, |(cell, _)| Figures::of(&cell.of(scenario)));
    let mut counts = [0; 3];
    for ((cell, surveyed), figures) in cells.into_iter().zip(figures) {
        let name = || format!("{cell:?} of {scenario:?}");
        let (point, is_lower_bound) = match surveyed {
            Surveyed::Refused => {
                assert!(figures.is_err(), "{}", name());
                continue;
            }
            Surveyed::Needs {
                point,
                is_lower_bound,
                ..
            } => (point, is_lower_bound),
        };
        let expected = figures.expect("figures").point(cell.batch);
        assert_eq!(point.phases, expected.phases, "{}", name());
        assert_eq!(point.binding, expected.binding, "{}", name());
        assert_eq!(point.usable, expected.usable, "{}", name());
        assert_eq!(point.fits, expected.fits, "{}", name());
        if *is_lower_bound {
            assert!(point.total <= expected.total, "{}", name());
        } else {
            assert_eq!(point.total, expected.total, "{}", name());
        }
        counts[usize::from(!point.fits)] += 1;
        counts[2] += usize::from(!is_lower_bound);
    }
    counts
}

/// Numbers that lie close together at first.
fn spread(step: u64) -> Vec<u64> {
    let close = 1..=12;
    let apart = [14, 16, 20, 23, 27, 32, 37, 43, 48, 53, 59, 64];
    close.chain(apart).map(|place| place * step).collect()
}

#[test]
fn a_surveyed_cell_is_its_own_estimate() {
    let (batches, lengths) = (spread(1), spread(128));
    let [mut fit, mut short, mut exact] = [0; 3];
    for scenario in scenarios() {
        let [fits, shorts, exacts] = compare(&scenario, [&batches, &lengths], 3);
        (fit, short, exact) = (fit + fits, short + shorts, exact + exacts);
    }
    assert!(
        fit > 1000 && short > 1000 && exact > 200,
        "{fit} {short} {exact}"
    );
}

#[test]
#[ignore = "minutes: all cells of all scenarios"]
fn every_surveyed_cell_is_its_own_estimate() {
    let (batches, lengths) = (steps(64, 1), steps(64, 128));
    for scenario in scenarios() {
        let counts = compare(&scenario, [&batches, &lengths], 1);
        println!("{counts:?} of {:?}", scenario.model);
    }
}

/// How many times as long estimates of all cells take as a survey of them, at least.
const TIMES: u32 = 3;

#[test]
fn a_survey_takes_a_fraction_of_the_time_of_its_cells() {
    const SAMPLED: usize = 16;
    let (batches, lengths) = (steps(64, 1), steps(64, 128));
    let scenario = scenarios().into_iter().next().expect("a scenario");
    let cell = |&length: &u64| batches.iter().map(move |&batch| Cell { batch, length });
    let cells: Vec<Cell> = lengths.iter().flat_map(cell).step_by(SAMPLED).collect();
    let start = Instant::now();
    let figures = each(&cells, |cell| Figures::of(&cell.of(&scenario)));
    let one_by_one = start.elapsed() * u32::try_from(SAMPLED).expect("a small number");
    assert!(figures.iter().all(Result::is_ok));
    let start = Instant::now();
    let surveyed = survey(&scenario, &batches, &lengths).expect("a survey");
    let took = start.elapsed();
    assert_eq!(surveyed.len(), 64 * 64);
    println!("a survey of 4,096 cells: {took:?}; one by one {one_by_one:?}");
    assert!(
        took * TIMES < one_by_one,
        "{took:?}, one by one {one_by_one:?}"
    );
}
