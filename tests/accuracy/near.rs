//! The counts and errors by model type and kind of run that are compiled in, as the fixtures give them.
//!
//! A line of the file is a model type, or `*` for all; its cells are kinds of runs by their place in the first line, or `*`,
//! each with the numbers of `CaseErrors`, without zeros at the end. Types with `@h200` behind them were measured on a
//! real H200.

use super::FOUND;
use highwater::decide::{CaseErrors, CaseKey, CaseKind};
use highwater::report::{ComparedPeak, Pair, percentile};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

/// The file, from the repository's root.
const FILE: &str = "src/answers/decide/measured/cases.txt";

/// Environment variable that asks for the file to be written.
const WRITE: &str = "HIGHWATER_ACCURACY";

/// All types, or all kinds.
const ALL: &str = "*";

/// A cell's place: the line's name and the kind; none for all of them.
type Place = (String, Option<CaseKind>);

// Errors are positive and far below 2^64 millionths.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn millionths(errors: &[f64], hundredths: usize) -> u64 {
    (percentile(errors, hundredths) * 1e6).round() as u64
}

fn errors_of(peaks: &[ComparedPeak<'_>]) -> CaseErrors {
    let of = |side: fn(&ComparedPeak<'_>) -> Option<Pair>| -> Vec<f64> {
        peaks.iter().filter_map(side).map(Pair::error).collect()
    };
    let (allocated, reserved) = (of(|peak| peak.allocated), of(|peak| peak.reserved));
    let is_unequal = |peak: &&ComparedPeak<'_>| peak.tensor.is_some_and(|pair| !pair.is_equal());
    CaseErrors {
        cases: peaks.len() as u64,
        unequal: peaks.iter().filter(is_unequal).count() as u64,
        allocated_p95: millionths(&allocated, 95),
        allocated_worst: millionths(&allocated, 100),
        reserved_p95: millionths(&reserved, 95),
    }
}

/// A cell: its column and its numbers.
fn cell(column: &str, errors: CaseErrors) -> String {
    let numbers = errors.numbers();
    let kept = numbers.iter().rposition(|&number| number > 0).unwrap_or(0);
    numbers[..=kept]
        .iter()
        .fold(format!("|{column}"), |text, number| {
            format!("{text} {number}")
        })
}

fn written() -> String {
    let mut places: BTreeMap<Place, Vec<ComparedPeak<'_>>> = BTreeMap::new();
    for (file, found) in FOUND.iter() {
        let on = if file.starts_with("h200") {
            "@h200"
        } else {
            ""
        };
        for peak in found.accuracy.peaks() {
            let CaseKey { model_type, kind } = CaseKey::of(peak.scenario);
            let names = [Some(ALL.to_owned()), model_type].into_iter().flatten();
            for name in names.map(|name| format!("{name}{on}")) {
                for kind in [None, Some(kind)] {
                    places.entry((name.clone(), kind)).or_default().push(peak);
                }
            }
        }
    }
    let kinds: BTreeSet<CaseKind> = places.keys().filter_map(|(_, kind)| *kind).collect();
    let kinds: Vec<CaseKind> = kinds.into_iter().collect();
    let names: Vec<String> = kinds.iter().map(|kind| kind.name()).collect();
    let mut text = format!(
        "# Measured cases by model type and kind of run: `{WRITE}=write cargo test --test accuracy` writes it.\n{}",
        names.join(" ")
    );
    let mut line = "";
    for ((name, kind), peaks) in &places {
        if name != line {
            let _ = write!(text, "\n{name}");
            line = name;
        }
        let place = kinds.iter().position(|own| Some(own) == kind.as_ref());
        let column = place.map_or_else(|| ALL.to_owned(), |place| place.to_string());
        text += &cell(&column, errors_of(peaks));
    }
    text + "\n"
}

#[test]
fn counts_and_errors_by_model_type_and_kind_of_run_are_those_of_the_fixtures() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE);
    let new = written();
    if std::env::var_os(WRITE).is_some_and(|asked| asked == "write") {
        std::fs::write(path, new).expect("written");
        return;
    }
    let old = std::fs::read_to_string(path).expect("the file");
    let wrong = old.lines().zip(new.lines()).find(|(old, new)| old != new);
    assert!(
        old == new,
        "`{WRITE}=write cargo test --test accuracy` writes {FILE}; a line that differs: {wrong:?}"
    );
}
