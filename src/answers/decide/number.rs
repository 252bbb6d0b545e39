//! A number of a scenario as a line of places.

use super::pixels::{self, MAX_PIXELS};
use crate::ask::{Finding, Fix, Scenario, Severity};
use crate::codec::{Key, value_at, values};
use crate::resolve::resolve;
use serde_json::Value;

/// Whether a key's values are looked at in hundredths: a share of the GPU.
pub(super) fn is_of_hundredths(key: &Key) -> bool {
    key.path == "objective.vllm_gpu_memory_utilization"
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast to an integer saturates, and shares are small"
)]
fn hundredths(share: f64) -> u64 {
    (share * 100.0).round() as u64
}

/// A number of a scenario.
#[derive(Clone, Debug)]
pub(super) enum Named {
    /// The value of a key.
    Setting(&'static Key),
    /// A size that an exported graph leaves open, by its name.
    Symbol(String),
}

impl Named {
    fn is_of_hundredths(&self) -> bool {
        matches!(self, Self::Setting(key) if is_of_hundredths(key))
    }

    fn is_of_pixels(&self) -> bool {
        matches!(self, Self::Setting(key) if key.path == MAX_PIXELS)
    }

    /// The key that findings about it name.
    fn key(&self) -> String {
        match self {
            Self::Setting(key) => key.path.to_owned(),
            Self::Symbol(name) => format!("symbols.{name}"),
        }
    }

    /// Its value in a scenario.
    fn value(&self, scenario: &Scenario) -> Value {
        match self {
            Self::Setting(key) => value_at(&values(scenario), key.path).clone(),
            Self::Symbol(name) => scenario.symbols.get(name).cloned().unwrap_or(Value::Null),
        }
    }
}

/// The values of a number that can be asked for, from the least demanding place on.
#[derive(Clone, Debug)]
pub(super) struct Number {
    named: Named,
    /// Whether more of it makes room: places count down from the largest value.
    makes_room: bool,
    /// How much a place is.
    unit: u64,
    least: u64,
    most: u64,
}

/// How many repairs are followed to the first or the last value that is allowed.
const REPAIRS: u32 = 64;

impl Number {
    /// The values that a scenario can have, as far as repairs of values out of range lead.
    pub(super) fn of(scenario: &Scenario, named: Named, makes_room: bool) -> Self {
        let mut line = Self {
            named,
            makes_room,
            unit: 1,
            least: 0,
            most: u64::MAX,
        };
        let [least, most] = [0, u64::MAX].map(|from| line.repaired(scenario, from));
        line.least = least;
        line.most = most;
        if line.named.is_of_pixels() {
            line.unit = pixels::unit(scenario);
            line.least = line.least.div_ceil(line.unit).saturating_mul(line.unit);
            line.most = line.most / line.unit * line.unit;
        }
        // A range without values has one all the same, which is refused with its reason.
        line.least = line.least.min(line.most);
        line
    }

    /// The value that the repairs of one lead to.
    fn repaired(&self, scenario: &Scenario, from: u64) -> u64 {
        let mut value = from;
        let key = self.named.key();
        for _ in 0..REPAIRS {
            let Some(asked) = self.with(scenario, value) else {
                break;
            };
            let findings = resolve(&asked).findings;
            match repair(&findings, &key).and_then(|value| self.read(value)) {
                Some(repair) if repair != value => value = repair,
                _ => break,
            }
        }
        value
    }

    /// The least and the largest value.
    pub(super) fn range(&self) -> [u64; 2] {
        [self.least, self.most]
    }

    /// The first and the last place.
    pub(super) fn places(&self) -> [u64; 2] {
        self.range().map(|value| value / self.unit)
    }

    /// The place of a scenario's value; the beginning where it has none.
    pub(super) fn start(&self, scenario: &Scenario) -> u64 {
        let own = self.read(&self.named.value(scenario));
        own.and_then(|value| self.place(value))
            .unwrap_or(self.places()[0])
    }

    /// The value at a place.
    pub(super) fn value(&self, place: u64) -> u64 {
        if self.makes_room {
            self.least + self.most.saturating_sub(place)
        } else {
            place.saturating_mul(self.unit)
        }
    }

    /// The place of a value.
    pub(super) fn place(&self, value: u64) -> Option<u64> {
        let value = (self.least..=self.most).contains(&value).then_some(value)?;
        // The way there is the way back, but for what a place is.
        Some(if self.makes_room {
            self.value(value)
        } else {
            value / self.unit
        })
    }

    /// The scenario with a value.
    pub(super) fn with(&self, scenario: &Scenario, value: u64) -> Option<Scenario> {
        if self.named.is_of_pixels() {
            return Some(pixels::with(scenario, value));
        }
        match &self.named {
            Named::Setting(key) => {
                let fix = Fix {
                    key: key.path.to_owned(),
                    value: self.written(value),
                };
                fix.apply(scenario)
            }
            Named::Symbol(name) => {
                let mut scenario = scenario.clone();
                scenario.symbols.insert(name.clone(), self.written(value));
                Some(scenario)
            }
        }
    }

    /// A value as the key holds it.
    pub(super) fn written(&self, value: u64) -> Value {
        if self.named.is_of_hundredths() {
            (value as f64 / 100.0).into()
        } else {
            value.into()
        }
    }

    /// The whole number of a value that the key holds.
    fn read(&self, value: &Value) -> Option<u64> {
        if self.named.is_of_hundredths() {
            value.as_f64().map(hundredths)
        } else {
            value.as_u64()
        }
    }
}

/// The value that repairs the error of a key.
pub(super) fn repair<'a>(findings: &'a [Finding], key: &str) -> Option<&'a Value> {
    let errors = findings
        .iter()
        .filter(|finding| finding.severity == Severity::Error);
    let mut fixes = errors.filter_map(|finding| finding.fix.as_ref());
    fixes.find(|fix| fix.key == key).map(|fix| &fix.value)
}
