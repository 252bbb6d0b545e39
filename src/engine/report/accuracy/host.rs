//! Host memory that was measured, estimated and compared.

use super::case::Case;
use super::measure::{Words, first};
use super::pair::Pair;
use super::table::percentile;
use crate::ask::Scenario;
use crate::host::{self, HostInputs, HostPart, HostPhase, PageCachePart};
use crate::model::ResolvedSpec;
use crate::report::estimate;
use crate::resolve::resolve;
use crate::units::Bytes;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::{self, Write};

/// Host memory of one node: a phase's total, or one part of it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct ExpectedHost {
    /// The phase; the phase that needs most when absent.
    pub phase: Option<HostPhase>,
    /// The true total of the process tree.
    pub total: Option<u64>,
    /// Whether the total holds the pages of the data set's file that processes have mapped.
    pub data_pages: bool,
    /// The part that `bytes` is about.
    pub part: Option<HostPart>,
    /// Bytes of that part.
    pub bytes: Option<u64>,
}

/// One figure of the host's, found and measured.
#[derive(Clone, Debug)]
pub(super) struct HostComparison {
    /// The figure and how the data set is held.
    group: String,
    /// The case.
    id: String,
    /// The figure itself.
    pair: Pair,
    /// The node's total with it.
    total: Pair,
}

/// Errors of a group of host figures, as shares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HostErrors {
    /// Figures compared.
    pub cases: usize,
    /// Median error of the node's total.
    pub median: f64,
    /// 95th percentile.
    pub p95: f64,
    /// Worst.
    pub worst: f64,
    /// Median error of the figure itself.
    pub own_median: f64,
}

/// Compares a case's host memory.
///
/// # Errors
/// Why the scenario is refused, or that nothing is expected.
pub(super) fn compare(
    case: &Case,
    expected: &ExpectedHost,
    words: Words,
) -> Result<HostComparison, String> {
    let scenario = case.scenario.as_ref().map_err(Clone::clone)?;
    let found = host_of(scenario, case.inputs.as_ref(), words)?;
    let phase = match expected.phase {
        None => &found.peak,
        Some(wanted) => found
            .phases
            .iter()
            .find(|phase| phase.phase == wanted)
            .ok_or("the phase is not estimated.")?,
    };
    let mut total = phase.total;
    if expected.data_pages {
        let data = found.page_cache_parts.iter();
        let data = data.filter(|(part, _)| *part == PageCachePart::Dataset);
        total += data.map(|(_, bytes)| *bytes).sum();
    }
    let (figure, found, measured, measured_total) =
        match (expected.total, expected.part, expected.bytes) {
            (Some(measured), _, _) => ("total", total.get(), measured, measured),
            (None, Some(part), Some(measured)) => {
                let parts = phase.composition.iter();
                let bytes: Bytes = parts.filter(|(p, _)| *p == part).map(|(_, b)| *b).sum();
                // The rest was not measured with it and is taken from the model.
                let rest = (total - bytes).get();
                (
                    part.name(),
                    bytes.get(),
                    measured,
                    rest.saturating_add(measured),
                )
            }
            _ => return Err("host expects a total, or a part with its bytes.".to_owned()),
        };
    Ok(HostComparison {
        group: format!("host.{figure} {}", scenario.dataset.mode.name()),
        id: case.id.clone(),
        pair: Pair { found, measured },
        total: Pair {
            found: total.get(),
            measured: measured_total,
        },
    })
}

/// The host's estimate; what the device's side says of the model can be given.
fn host_of(
    scenario: &Scenario,
    inputs: Option<&HostInputs>,
    words: Words,
) -> Result<host::HostEstimate, String> {
    let Some(inputs) = inputs else {
        return estimate(scenario)
            .map_or_else(|e| Err(first(&e, words)), |found| Ok(found.report.host));
    };
    let resolution = resolve(scenario);
    let spec: Option<ResolvedSpec> = resolution.spec;
    spec.map_or_else(
        || Err(first(&resolution.findings, words)),
        |spec| Ok(host::estimate(&spec, inputs)),
    )
}

/// Errors by group, and of all.
pub(super) fn errors(comparisons: &[HostComparison]) -> BTreeMap<String, HostErrors> {
    let mut members: BTreeMap<&str, Vec<&HostComparison>> = BTreeMap::new();
    for comparison in comparisons {
        members.entry("host").or_default().push(comparison);
        members
            .entry(&comparison.group)
            .or_default()
            .push(comparison);
    }
    members
        .into_iter()
        .map(|(group, members)| {
            let totals: Vec<f64> = members.iter().map(|one| one.total.error()).collect();
            let own: Vec<f64> = members.iter().map(|one| one.pair.error()).collect();
            let errors = HostErrors {
                cases: members.len(),
                median: percentile(&totals, 50),
                p95: percentile(&totals, 95),
                worst: percentile(&totals, 100),
                own_median: percentile(&own, 50),
            };
            (group.to_owned(), errors)
        })
        .collect()
}

/// The table of errors and the worst figures.
pub(super) fn write(
    text: &mut String,
    comparisons: &[HostComparison],
    worst: usize,
) -> fmt::Result {
    if comparisons.is_empty() {
        return Ok(());
    }
    writeln!(
        text,
        "{:<44} {:>5} | {:>8} {:>8} {:>8} | {:>8}",
        "errors of host memory's total, in %", "cases", "median", "p95", "worst", "figure"
    )?;
    for (group, errors) in errors(comparisons) {
        writeln!(
            text,
            "{group:<44} {:>5} | {:>8.2} {:>8.2} {:>8.2} | {:>8.2}",
            errors.cases,
            100.0 * errors.median,
            100.0 * errors.p95,
            100.0 * errors.worst,
            100.0 * errors.own_median,
        )?;
    }
    let mut order: Vec<&HostComparison> = comparisons.iter().collect();
    order.sort_by(|a, b| b.total.error().total_cmp(&a.total.error()));
    for one in order.into_iter().take(worst) {
        let Pair { found, measured } = one.pair;
        writeln!(
            text,
            "{}  {}: {found}, measured {measured}",
            one.id, one.group
        )?;
    }
    Ok(())
}
