//! The binding phase, and whether a run fits, at the stops of a slider.

use super::question::{Estimator, Progress, Question};
use crate::ask::{Fix, Scenario};
use crate::sim::Phase;
use serde_json::Value;

/// The run at one stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StopRun {
    /// The phase that binds.
    pub binding: Phase,
    /// Whether GPU memory and host RAM suffice.
    pub fits: bool,
}

/// A value of the setting.
#[derive(Clone, Debug, PartialEq)]
pub struct Stop {
    /// The value; null where the scenario does not say it.
    pub value: Value,
    /// The run with it; nothing where it is refused.
    pub run: Option<StopRun>,
}

/// The runs along a slider, one after the other: nothing between two stops is looked at.
#[derive(Clone, Debug)]
pub struct StopSweeper {
    scenario: Scenario,
    key: &'static str,
    values: Vec<Value>,
    found: Vec<Stop>,
}

impl StopSweeper {
    /// A sweep of a scenario over `values` of the setting with this key.
    pub fn new(scenario: &Scenario, key: &'static str, values: &[Value]) -> Self {
        Self {
            scenario: scenario.clone(),
            key,
            values: values.to_vec(),
            found: Vec::new(),
        }
    }

    /// The stops so far, in the order of the values.
    pub fn found(&self) -> &[Stop] {
        &self.found
    }

    fn at(&self, value: &Value) -> Option<Scenario> {
        with_value(&self.scenario, self.key, value)
    }
}

/// A scenario with another value of the setting with this key; nothing where it cannot have it.
pub fn with_value(scenario: &Scenario, key: &str, value: &Value) -> Option<Scenario> {
    let (key, value) = (key.to_owned(), value.clone());
    Fix { key, value }.apply(scenario)
}

impl Question for StopSweeper {
    fn advance(&mut self, by: &mut dyn Estimator) -> Progress {
        let left = || self.values.iter().skip(self.found.len());
        let Some(value) = left().next() else {
            return Progress::Done;
        };
        by.prepare(&mut left().filter_map(|value| self.at(value)));
        let run = match self.at(value).map(|scenario| by.figures(&scenario)) {
            Some(None) => return Progress::Waits,
            Some(Some(Ok(figures))) => Some(StopRun {
                binding: figures.binding.phase,
                fits: figures.fits(),
            }),
            Some(Some(Err(_))) | None => None,
        };
        let value = value.clone();
        self.found.push(Stop { value, run });
        Progress::Further
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Figures;
    use serde_json::json;

    #[test]
    fn each_stop_has_the_run_of_its_value_and_a_refused_one_has_none() {
        let asked = json!({"model": "qwen2.5-1.5b", "micro_batch_size": 2, "hardware": {"gpu": "a100-80gb"}});
        let scenario = crate::codec::decode_json(&asked.to_string()).0;
        let values = [json!(0), json!(256), json!(1024), json!(32_768)];
        let mut sweeper = StopSweeper::new(&scenario, "seq_len", &values);
        sweeper.settle();
        let found = sweeper.found();
        assert_eq!(found.len(), values.len());
        assert_eq!(found[0].run, None, "no tokens are refused");
        for (stop, value) in found.iter().zip(&values).skip(1) {
            let of = with_value(&scenario, "seq_len", value).expect("a length");
            let figures = Figures::of(&of).expect("figures");
            let expected = StopRun {
                binding: figures.binding.phase,
                fits: figures.fits(),
            };
            assert_eq!(stop.run, Some(expected), "{value}");
        }
        let binding = |at: usize| found[at].run.map(|run| run.binding);
        assert_ne!(binding(1), binding(2), "the peak moves in between");
        assert_eq!(found[3].run.map(|run| run.fits), Some(false));
    }
}
