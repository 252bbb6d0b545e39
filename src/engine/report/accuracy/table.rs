//! The table of errors, and the goals.

use super::case::Case;
use super::groups::groups;
use super::host::{self, HostComparison, HostErrors};
use super::measure::{Comparison, Outcome, PhaseComparison, Words, compare};
use super::pair::Pair;
use super::published::{self, Published};
use super::worst;
use crate::ask::Scenario;
use std::collections::BTreeMap;
use std::fmt::{self, Write};

/// The cases to compare, and the number of worst cases to list.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Groups that a case must belong to, as `precision=bf16`; `id=...` selects one case.
    pub only: Vec<String>,
    /// How many of the worst cases are listed.
    pub worst: usize,
}

/// All cases, compared.
#[derive(Clone, Debug)]
pub struct Accuracy {
    cases: Vec<(Case, Comparison)>,
    hosts: Vec<HostComparison>,
    not_supported: BTreeMap<String, usize>,
    worst: usize,
}

/// The peak of a case's steady step, found and measured.
#[derive(Clone, Copy, Debug)]
pub struct ComparedPeak<'a> {
    /// The case's scenario.
    pub scenario: &'a Scenario,
    /// Live tensors.
    pub tensor: Option<Pair>,
    /// `max_memory_allocated`.
    pub allocated: Option<Pair>,
    /// `max_memory_reserved`.
    pub reserved: Option<Pair>,
}

/// A goal of the project and whether it is met.
#[derive(Clone, Debug, PartialEq)]
pub struct Goal {
    /// The name of the measure.
    pub what: &'static str,
    /// Its value.
    pub found: f64,
    /// The bound: an upper one for errors, a lower one for shares.
    pub bound: f64,
    /// Whether it is met.
    pub met: bool,
}

/// Errors of one group.
#[derive(Default)]
struct Row {
    cases: usize,
    tensor: Vec<f64>,
    exact: usize,
    allocated: Vec<f64>,
    reserved: Vec<f64>,
    phases: usize,
    phases_right: usize,
    composition: Vec<f64>,
}

impl Row {
    fn add(&mut self, peak: &PhaseComparison) {
        self.cases += 1;
        if let Some(pair) = peak.tensor {
            self.tensor.push(pair.error());
            self.exact += usize::from(pair.is_equal());
        }
        self.allocated.extend(peak.allocated.map(Pair::error));
        self.reserved.extend(peak.reserved.map(Pair::error));
        if let Some(measured) = &peak.expected_phase {
            self.phases += 1;
            self.phases_right += usize::from(*measured == peak.phase);
        }
        self.composition.extend(peak.composition_error);
    }
}

fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

/// A number with the two digits that count most, or as many as stand within four places.
fn two_digits(number: f64) -> String {
    let mut places = 0;
    let mut scaled = number;
    while scaled < 10.0 && places < 4 {
        scaled *= 10.0;
        places += 1;
    }
    if scaled < 0.5 {
        return "0".to_owned();
    }
    format!("{number:.places$}")
}

/// The value below which `share` (in hundredths) of the sorted values lie: nearest rank.
pub fn percentile(values: &[f64], hundredths: usize) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = (sorted.len() * hundredths).div_ceil(100).max(1);
    sorted.get(rank - 1).copied().unwrap_or(0.0)
}

impl Accuracy {
    /// Estimates the selected cases and compares them; `words` turns the findings of a refused case into text.
    pub fn of(cases: &[Case], selection: &Selection, words: Words) -> Self {
        let mut accuracy = Self {
            cases: Vec::new(),
            hosts: Vec::new(),
            not_supported: BTreeMap::new(),
            worst: selection.worst,
        };
        for case in cases {
            let groups = groups(&case.written);
            let selected = selection
                .only
                .iter()
                .all(|only| *only == format!("id={}", case.id) || groups.contains(only));
            if !selected {
                continue;
            }
            if let Some(expected) = &case.expected.host {
                match host::compare(case, expected, words) {
                    Ok(comparison) => accuracy.hosts.push(comparison),
                    Err(reason) => *accuracy.not_supported.entry(reason).or_default() += 1,
                }
            }
            if case.expected.is_host_only() {
                continue;
            }
            match compare(case, words) {
                Outcome::NotSupported(reason) => {
                    *accuracy.not_supported.entry(reason).or_default() += 1;
                }
                Outcome::Compared(comparison) => accuracy.cases.push((case.clone(), *comparison)),
            }
        }
        accuracy
    }

    /// The cases of several files together.
    pub fn joined<'a>(files: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut all = Self {
            cases: Vec::new(),
            hosts: Vec::new(),
            not_supported: BTreeMap::new(),
            worst: 0,
        };
        for file in files {
            all.cases.extend_from_slice(&file.cases);
            all.hosts.extend_from_slice(&file.hosts);
            for (reason, cases) in &file.not_supported {
                *all.not_supported.entry(reason.clone()).or_default() += cases;
            }
        }
        all
    }

    /// The peaks of all cases of the device, in their order.
    pub fn peaks(&self) -> impl Iterator<Item = ComparedPeak<'_>> {
        self.cases.iter().filter_map(|(case, comparison)| {
            let peak = &comparison.peak;
            Some(ComparedPeak {
                scenario: case.scenario.as_ref().ok()?,
                tensor: peak.tensor,
                allocated: peak.allocated,
                reserved: peak.reserved,
            })
        })
    }

    /// Cases that were compared; one that has both is counted on each side.
    pub fn compared(&self) -> usize {
        self.cases.len() + self.hosts.len()
    }

    /// Errors of host memory by group, those of all under `host`.
    pub fn host_errors(&self) -> BTreeMap<String, HostErrors> {
        host::errors(&self.hosts)
    }

    /// Cases that the engine refuses, by its reason.
    pub fn not_supported(&self) -> &BTreeMap<String, usize> {
        &self.not_supported
    }

    /// Figures that others published, in the order of the cases.
    pub fn published(&self) -> Vec<Published> {
        let figures = self
            .cases
            .iter()
            .map(|(_, comparison)| &comparison.published);
        figures.flatten().cloned().collect()
    }

    fn all(&self) -> Row {
        let mut row = Row::default();
        for (_, comparison) in &self.cases {
            row.add(&comparison.peak);
        }
        row
    }

    /// The goals of the project, over all cases: for peaks on the device, and for host memory. Quantities that were not
    /// measured have no goal.
    pub fn goals(&self) -> Vec<Goal> {
        let mut goals = Vec::new();
        goals.extend(self.device_goals());
        if let Some(host) = self.host_errors().get("host") {
            for (what, found, bound) in [
                ("host memory median", host.median, 0.10),
                ("host memory p95", host.p95, 0.25),
            ] {
                goals.push(Goal {
                    what,
                    found,
                    bound,
                    met: found <= bound,
                });
            }
        }
        goals
    }

    fn device_goals(&self) -> impl Iterator<Item = Goal> {
        let row = self.all();
        let below = |what, values: &[f64], hundredths, bound| {
            let found = percentile(values, hundredths);
            (!values.is_empty()).then_some(Goal {
                what,
                found,
                bound,
                met: found <= bound,
            })
        };
        let above = |what, right, of, bound| {
            let found = share(right, of);
            (of > 0).then_some(Goal {
                what,
                found,
                bound,
                met: found >= bound,
            })
        };
        let goals = [
            above(
                "peak_tensor equal to the byte",
                row.exact,
                row.tensor.len(),
                0.90,
            ),
            below("peak_tensor median", &row.tensor, 50, 0.001),
            below("peak_tensor p95", &row.tensor, 95, 0.005),
            below("peak_tensor worst", &row.tensor, 100, 0.02),
            below("peak_allocated median", &row.allocated, 50, 0.002),
            below("peak_allocated p95", &row.allocated, 95, 0.01),
            below("peak_allocated worst", &row.allocated, 100, 0.03),
            below("peak_reserved median", &row.reserved, 50, 0.015),
            below("peak_reserved p95", &row.reserved, 95, 0.05),
            above("binding phase right", row.phases_right, row.phases, 0.995),
            below("composition worst", &row.composition, 100, 0.005),
        ];
        goals.into_iter().flatten()
    }

    /// All cases in a line, as `tests/ACCURACY.md` shows them: how many, how many are equal to the byte, the errors
    /// (median, 95th percentile, worst) of live tensors, `max_memory_allocated` and
    /// `max_memory_reserved`, how often the phase of the peak is right.
    pub fn summary(&self) -> String {
        let row = self.all();
        let rate = |right, of| match share(right, of) {
            1.0.. => "100 %".to_owned(),
            part => format!("{:.1} %", 100.0 * part),
        };
        let three = |values: &[f64]| {
            let parts = [50, 95, 100].map(|rank| two_digits(100.0 * percentile(values, rank)));
            parts.join(" / ")
        };
        [
            row.cases.to_string(),
            rate(row.exact, row.tensor.len()),
            three(&row.tensor),
            three(&row.allocated),
            three(&row.reserved),
            rate(row.phases_right, row.phases),
        ]
        .join(" | ")
    }

    fn rows(&self) -> BTreeMap<String, Row> {
        let mut rows: BTreeMap<String, Row> = BTreeMap::new();
        let mut add = |name: String, peak| rows.entry(name).or_default().add(peak);
        for (case, comparison) in &self.cases {
            for group in groups(&case.written) {
                add(group, &comparison.peak);
            }
            if let Some(peak) = &comparison.first_peak {
                add("step=first".to_owned(), peak);
            }
            for phase in &comparison.phases {
                add(format!("phase={}", phase.phase), phase);
            }
        }
        rows
    }
}

impl fmt::Display for Accuracy {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = format!("{} cases compared\n", self.compared());
        for (reason, cases) in &self.not_supported {
            writeln!(text, "not supported: {cases} cases: {reason}")?;
        }
        host::write(&mut text, &self.hosts, self.worst)?;
        if !self.cases.is_empty() {
            self.write_device(&mut text)?;
        }
        published::write(&mut text, &self.published())?;
        for goal in self.goals() {
            writeln!(
                text,
                "{} {:<32} {:>9.4} % (goal {} %)",
                if goal.met { "met   " } else { "MISSED" },
                goal.what,
                100.0 * goal.found,
                100.0 * goal.bound,
            )?;
        }
        worst::write(&mut text, &self.cases, self.worst)?;
        out.write_str(&text)
    }
}

impl Accuracy {
    fn write_device(&self, text: &mut String) -> fmt::Result {
        writeln!(
            text,
            "{:<44} {:>5} | {:>6} {:>8} {:>8} {:>8} | {:>8} {:>8} {:>8} | {:>8} {:>8} {:>8} | {:>6} {:>8}",
            "errors of the steady step's peak, in %",
            "cases",
            "exact",
            "tensor",
            "p95",
            "worst",
            "alloc.",
            "p95",
            "worst",
            "reserved",
            "p95",
            "worst",
            "phase",
            "parts",
        )?;
        write_row(text, "all", &self.all())?;
        for (name, row) in self.rows() {
            write_row(text, &name, &row)?;
        }
        Ok(())
    }
}

fn write_row(text: &mut String, name: &str, row: &Row) -> fmt::Result {
    let percent = |values: &[f64], hundredths| 100.0 * percentile(values, hundredths);
    let three = |values: &[f64]| {
        if values.is_empty() {
            return format!("{:>8} {:>8} {:>8}", "-", "-", "-");
        }
        format!(
            "{:>8.4} {:>8.4} {:>8.4}",
            percent(values, 50),
            percent(values, 95),
            percent(values, 100)
        )
    };
    let rate = |right, of| match of {
        0 => "-".to_owned(),
        _ => format!("{:.1}", 100.0 * share(right, of)),
    };
    let exact = rate(row.exact, row.tensor.len());
    let phase = rate(row.phases_right, row.phases);
    let name: String = name.chars().take(44).collect();
    writeln!(
        text,
        "{name:<44} {:>5} | {:>6} {} | {} | {} | {phase:>6} {:>8.4}",
        row.cases,
        exact,
        three(&row.tensor),
        three(&row.allocated),
        three(&row.reserved),
        percent(&row.composition, 100),
    )
}
