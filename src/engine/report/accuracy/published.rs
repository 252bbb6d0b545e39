//! Figures of whole runs, as others publish them, by source.

use super::case::Expected;
use super::pair::Pair;
use super::table::percentile;
use crate::report::Estimate;
use std::collections::BTreeMap;
use std::fmt::{self, Write};

/// One published figure: found and measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Published {
    /// The case.
    pub id: String,
    /// Who published it.
    pub source: String,
    /// The name of the figure.
    pub figure: &'static str,
    /// Bytes found.
    pub found: u64,
    /// Bytes measured.
    pub measured: u64,
}

impl Published {
    /// The error, as a share.
    pub fn error(&self) -> f64 {
        Pair {
            found: self.found,
            measured: self.measured,
        }
        .error()
    }
}

/// The figures of a run that were published.
pub(super) fn figures(
    id: &str,
    source: &str,
    estimate: &Estimate,
    expected: &Expected,
) -> Vec<Published> {
    let Some(run) = &expected.run else {
        return Vec::new();
    };
    let device = &estimate.report.device;
    let points = &estimate.timeline.points;
    let end = points.last().map_or(0, |point| point.allocated.get());
    [
        (
            "peak_allocated",
            device.run.peak_allocated.get(),
            run.peak_allocated,
        ),
        (
            "peak_reserved",
            device.run.peak_reserved.get(),
            run.peak_reserved,
        ),
        ("total", device.total.get(), run.total),
        ("allocated_at_end", end, run.allocated_at_end),
    ]
    .into_iter()
    .filter_map(|(figure, found, measured)| {
        Some(Published {
            id: id.to_owned(),
            source: source.to_owned(),
            figure,
            found,
            measured: measured?,
        })
    })
    .collect()
}

/// One row for each source and figure.
pub(super) fn write(text: &mut String, all: &[Published]) -> fmt::Result {
    if all.is_empty() {
        return Ok(());
    }
    let mut rows: BTreeMap<(&str, &str), Vec<f64>> = BTreeMap::new();
    for one in all {
        let row = rows.entry((&one.source, one.figure)).or_default();
        row.push(one.error());
    }
    writeln!(
        text,
        "{:<44} {:<16} {:>5} {:>8} {:>8}",
        "published figures, errors in %", "", "cases", "median", "worst"
    )?;
    for ((source, figure), errors) in rows {
        writeln!(
            text,
            "{source:<44} {figure:<16} {:>5} {:>8.3} {:>8.3}",
            errors.len(),
            100.0 * percentile(&errors, 50),
            100.0 * percentile(&errors, 100),
        )?;
    }
    Ok(())
}
