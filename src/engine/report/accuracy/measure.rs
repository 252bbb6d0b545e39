//! One case: estimated and compared.

use super::case::{Case, Expected, ExpectedPhase, ExpectedStep};
use super::pair::Pair;
use super::published::{Published, figures};
use crate::ask::{Finding, Message};
use crate::report::{DeviceReport, Estimate, PhaseReport, StepReport, estimate};
use crate::tape::Category;

/// The outcome of a case.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The engine refuses the scenario, with its reason.
    NotSupported(String),
    /// It was estimated.
    Compared(Box<Comparison>),
}

/// An estimate beside the measurement.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The steady step's peak, or the run's when only that was measured.
    pub peak: PhaseComparison,
    /// The first step's peak.
    pub first_peak: Option<PhaseComparison>,
    /// Every phase of the steady step that was measured.
    pub phases: Vec<PhaseComparison>,
    /// Every phase of the first step that was measured.
    pub first_phases: Vec<PhaseComparison>,
    /// Figures of the whole run that others published.
    pub published: Vec<Published>,
    /// Elements of all parameters: found and measured.
    pub num_parameters: Option<Pair>,
    /// Elements of trained parameters: found and measured.
    pub num_trainable: Option<Pair>,
}

/// Found and measured peaks of a phase, a step or a run.
#[derive(Clone, Debug, Default)]
pub struct PhaseComparison {
    /// The phase.
    pub phase: String,
    /// The phase of a step's peak as it was measured.
    pub expected_phase: Option<String>,
    /// Live storages.
    pub tensor: Option<Pair>,
    /// Whole blocks.
    pub allocated: Option<Pair>,
    /// Segments.
    pub reserved: Option<Pair>,
    /// Estimated and measured bytes, by category, of categories that differ.
    pub parts: Vec<(&'static str, u64, u64)>,
    /// The largest difference of a category, as a share of the measured total.
    pub composition_error: Option<f64>,
}

/// How a message is said: room `text` is below this one.
pub type Words = fn(&Message) -> String;

/// The first of some findings in words.
pub(super) fn first(findings: &[Finding], words: Words) -> String {
    let first = findings.first();
    first.map_or_else(String::new, |finding| words(&finding.message))
}

/// Estimates a case and compares it.
pub fn compare(case: &Case, words: Words) -> Outcome {
    let scenario = match &case.scenario {
        Ok(scenario) => scenario,
        Err(reason) => return Outcome::NotSupported(reason.clone()),
    };
    match estimate(scenario) {
        Ok(estimate) => Outcome::Compared(Box::new(comparison(&estimate, case))),
        Err(findings) => Outcome::NotSupported(first(&findings, words)),
    }
}

fn comparison(estimate: &Estimate, case: &Case) -> Comparison {
    let (report, expected) = (&estimate.report, &case.expected);
    let device = &report.device;
    let step_peak = |found: &StepReport, step: &Option<ExpectedStep>| {
        let peak = step.as_ref()?.complete_peak()?;
        Some(phase(&found.peak, &peak))
    };
    let peak = step_peak(&device.steady_step, &expected.steady_step)
        .or_else(|| expected.run.as_ref().map(|run| run_peak(device, run)))
        .unwrap_or_default();
    let source = case.source.as_deref();
    Comparison {
        peak,
        published: source.map_or_else(Vec::new, |source| {
            figures(&case.id, source, estimate, expected)
        }),
        first_peak: step_peak(&device.first_step, &expected.first_step),
        phases: steady_phases(device, expected),
        first_phases: phases(&device.first_step, expected.first_step.as_ref()),
        num_parameters: expected.num_parameters.map(|measured| Pair {
            found: report.model.num_parameters,
            measured,
        }),
        num_trainable: expected.num_trainable.map(|measured| Pair {
            found: report.model.num_trainable,
            measured,
        }),
    }
}

fn run_peak(device: &DeviceReport, measured: &ExpectedPhase) -> PhaseComparison {
    let found = PhaseReport {
        peak_allocated: device.run.peak_allocated,
        peak_reserved: device.run.peak_reserved,
        ..*device.binding()
    };
    phase(&found, measured)
}

/// Of steady steps, with batches of usual length too.
fn steady_phases(device: &DeviceReport, expected: &Expected) -> Vec<PhaseComparison> {
    let mut all = phases(&device.steady_step, expected.steady_step.as_ref());
    if let Some(usual) = &device.usual_step {
        all.extend(phases(usual, expected.usual_step.as_ref()));
    }
    all
}

fn phases(found: &StepReport, measured: Option<&ExpectedStep>) -> Vec<PhaseComparison> {
    let Some(measured) = measured else {
        return Vec::new();
    };
    found
        .phases
        .iter()
        .filter_map(|found| Some(phase(found, measured.phases.get(found.phase.name())?)))
        .collect()
}

fn phase(found: &PhaseReport, measured: &ExpectedPhase) -> PhaseComparison {
    let pair =
        |found: u64, measured: Option<u64>| measured.map(|measured| Pair { found, measured });
    let mut parts = Vec::new();
    if let Some(composition) = &measured.composition {
        for &category in Category::ALL {
            let found = found.composition.get(category).get();
            let measured = composition.get(category.name()).copied().unwrap_or(0);
            if found != measured {
                parts.push((category.name(), found, measured));
            }
        }
    }
    let composition_error = measured.composition.as_ref().map(|composition| {
        let total: u64 = composition.values().sum();
        let largest = parts.iter().map(|&(_, f, m)| f.abs_diff(m)).max();
        largest.unwrap_or(0) as f64 / total.max(1) as f64
    });
    PhaseComparison {
        phase: found.phase.name().to_owned(),
        expected_phase: measured.phase.clone(),
        tensor: pair(found.peak_tensor.get(), measured.peak_tensor),
        allocated: pair(found.peak_allocated.get(), measured.peak_allocated),
        reserved: pair(found.peak_reserved.get(), measured.peak_reserved),
        parts,
        composition_error,
    }
}
