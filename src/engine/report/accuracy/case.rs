//! Measured cases, as they are written.

use super::host::ExpectedHost;
use crate::ask::{Loss, Program, Scenario};
use crate::host::HostInputs;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// A scenario and its measurements.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its name, or its line number.
    pub id: String,
    /// Who measured it, when others published it.
    pub source: Option<String>,
    /// The scenario as it is written.
    pub written: Value,
    /// The scenario; the error message when it cannot be read.
    pub scenario: Result<Scenario, String>,
    /// The model's facts that the device's side hands to the host's, when the case gives them.
    pub inputs: Option<HostInputs>,
    /// The measured values.
    pub expected: Expected,
}

/// Measured values of a run. Everything is optional: an absent value is not compared.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Expected {
    /// Elements of all parameters.
    pub num_parameters: Option<u64>,
    /// Elements of the trained parameters.
    pub num_trainable: Option<u64>,
    /// Bytes that autograd keeps at the end of a steady forward pass.
    pub saved_for_backward: Option<u64>,
    /// The first step.
    pub first_step: Option<ExpectedStep>,
    /// A steady step.
    pub steady_step: Option<ExpectedStep>,
    /// A steady step with batches of usual length.
    pub usual_step: Option<ExpectedStep>,
    /// Peaks of the whole run.
    pub run: Option<ExpectedPhase>,
    /// Host memory.
    pub host: Option<ExpectedHost>,
}

impl Expected {
    /// Whether nothing was measured on the device.
    pub fn is_host_only(&self) -> bool {
        self.host.is_some()
            && self.first_step.is_none()
            && self.steady_step.is_none()
            && self.run.is_none()
    }

    /// Whether the steps that were measured have no phase but a forward pass.
    fn is_forward_only(&self) -> bool {
        let steps = [&self.first_step, &self.steady_step, &self.usual_step];
        let mut phases = steps.into_iter().flatten().flat_map(|s| s.phases.keys());
        phases.next().is_some_and(|first| first == "forward") && phases.all(|p| p == "forward")
    }
}

/// A step's phases by name, and its peak.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct ExpectedStep {
    /// Phases.
    pub phases: BTreeMap<String, ExpectedPhase>,
    /// The peak, with its phase.
    pub peak: Option<ExpectedPhase>,
}

impl ExpectedStep {
    /// The peak; a peak without a composition has that of its phase.
    pub fn complete_peak(&self) -> Option<ExpectedPhase> {
        let mut peak = self.peak.clone()?;
        let phase = peak.phase.as_ref().and_then(|name| self.phases.get(name));
        if let (None, Some(phase)) = (&peak.composition, phase) {
            peak.composition.clone_from(&phase.composition);
        }
        Some(peak)
    }
}

/// Peaks of a phase, of a step or of a run.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct ExpectedPhase {
    /// The phase's name, of a step's peak.
    pub phase: Option<String>,
    /// Live storages, each rounded to 512 bytes.
    pub peak_tensor: Option<u64>,
    /// `max_memory_allocated()`.
    pub peak_allocated: Option<u64>,
    /// `max_memory_reserved()`.
    pub peak_reserved: Option<u64>,
    /// Bytes that nvidia-smi showed at the peak of a run.
    pub total: Option<u64>,
    /// `memory_allocated()` when the run has ended, of a run.
    pub allocated_at_end: Option<u64>,
    /// Bytes by category, the parts of `peak_tensor`.
    pub composition: Option<BTreeMap<String, u64>>,
}

#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    id: Option<Value>,
    #[serde(default)]
    source: Option<String>,
    scenario: Value,
    #[serde(default)]
    inputs: Option<HostInputs>,
    #[serde(default)]
    expect: Expected,
}

/// Reads lines of cases; empty lines and lines that begin with `#` are skipped.
///
/// # Errors
/// The number of a line that is no case, and why.
pub fn read_cases(text: &str) -> Result<Vec<Case>, String> {
    let mut cases = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let line: Line = serde_json::from_str(line)
            .map_err(|error| format!("line {number} is no case: {error}"))?;
        let id = match line.id {
            Some(Value::String(id)) => id,
            Some(other) => other.to_string(),
            None => format!("line-{number}"),
        };
        let scenario = with_program(line.scenario, &line.expect);
        cases.push(Case {
            id,
            source: line.source,
            scenario: serde_json::from_value(scenario.clone()).map_err(|error| error.to_string()),
            written: scenario,
            inputs: line.inputs,
            expected: line.expect,
        });
    }
    Ok(cases)
}

/// The scenario with the program that was measured: where it names none, a run of nothing but
/// forward passes was an evaluation (no gradients, and the modules as `from_pretrained` leaves
/// them), unless its loss says that it only goes forward.
fn with_program(mut scenario: Value, expected: &Expected) -> Value {
    if let Some(keys) = scenario.as_object_mut()
        && expected.is_forward_only()
        && keys
            .get("loss")
            .is_none_or(|loss| loss != Loss::None.name())
    {
        keys.entry("program")
            .or_insert_with(|| Program::Evaluation.name().into());
    }
    scenario
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(scenario: &str, phases: &str) -> Program {
        let line = format!(
            r#"{{"scenario": {{"model": "gpt2"{scenario}}}, "expect": {{"steady_step": {{"phases": {{{phases}}}}}}}}}"#
        );
        let mut cases = read_cases(&line).expect("a case");
        cases.remove(0).scenario.expect("a scenario").program
    }

    #[test]
    fn a_run_of_nothing_but_forward_passes_was_an_evaluation() {
        assert_eq!(program("", r#""forward": {}"#), Program::Evaluation);
        let steps = r#""forward": {}, "backward": {}"#;
        assert_eq!(program("", steps), Program::Training);
        assert_eq!(program("", ""), Program::Training);
    }

    #[test]
    fn a_program_or_a_loss_that_is_named_is_kept() {
        let forward = r#""forward": {}"#;
        let without_gradients = r#", "program": "forward""#;
        assert_eq!(program(without_gradients, forward), Program::Forward);
        let without_loss = r#", "loss": "none""#;
        assert_eq!(program(without_loss, forward), Program::Training);
    }
}
