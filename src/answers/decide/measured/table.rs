//! Counts and errors of measured cases, by group.

use super::key::{CaseKey, CaseKind};
use crate::ask::Scenario;
use crate::units::names;

/// The file: the kinds of runs, then a line for each model type with its cells.
const CASES: &str = include_str!("cases.txt");

/// In place of a model type or of a kind: all of them.
const ALL: &str = "*";

names! {
    /// The place of a measurement.
    MeasuredOn {
        /// Unmodified builds of PyTorch whose driver needs no GPU.
        Builds = "builds",
        /// A real H200.
        H200 = "h200",
    }
}

/// Errors of the peak of a steady step over some cases, in millionths of the measurement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CaseErrors {
    /// Cases.
    pub cases: u64,
    /// Cases whose live tensors differ in at least a byte.
    pub unequal: u64,
    /// The 95th percentile for `max_memory_allocated`.
    pub allocated_p95: u64,
    /// The worst for `max_memory_allocated`.
    pub allocated_worst: u64,
    /// The 95th percentile for `max_memory_reserved`.
    pub reserved_p95: u64,
}

impl CaseErrors {
    /// The numbers in their order in the file.
    pub const fn numbers(self) -> [u64; 5] {
        [
            self.cases,
            self.unequal,
            self.allocated_p95,
            self.allocated_worst,
            self.reserved_p95,
        ]
    }

    /// A cell's numbers; zeros at its end are left out.
    fn read(cell: &str) -> Self {
        let mut numbers = cell.split(' ').map(|number| number.parse().unwrap_or(0));
        let mut next = || numbers.next().unwrap_or(0);
        Self {
            cases: next(),
            unequal: next(),
            allocated_p95: next(),
            allocated_worst: next(),
            reserved_p95: next(),
        }
    }
}

/// The measured cases near a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Near {
    /// The scenario's group.
    pub key: CaseKey,
    /// Cases of the same model type and kind of run.
    pub same: Option<CaseErrors>,
    /// Cases of the same model type in any run.
    pub of_type: Option<CaseErrors>,
    /// Cases of any model in the same kind of run.
    pub of_kind: Option<CaseErrors>,
    /// Cases of the same model type, or else of any model, in the same kind of run on a real H200.
    pub on_gpu: Option<CaseErrors>,
}

/// All measured cases, by group.
#[derive(Clone, Copy, Debug)]
pub struct MeasuredCases {
    text: &'static str,
}

impl MeasuredCases {
    /// The cases that are compiled in.
    pub const fn compiled() -> Self {
        Self { text: CASES }
    }

    /// The cases of another text.
    #[cfg(test)]
    pub(super) const fn of(text: &'static str) -> Self {
        Self { text }
    }

    /// Errors over the cases of a model type, of all where there is none, in a kind of run, or in all.
    pub fn errors(
        self,
        model_type: Option<&str>,
        kind: Option<CaseKind>,
        on: MeasuredOn,
    ) -> Option<CaseErrors> {
        let mut lines = self.text.lines().filter(|line| !line.starts_with('#'));
        let mut kinds = lines.next()?.split(' ');
        let column = match kind {
            None => ALL.to_owned(),
            Some(kind) => {
                let place = kinds.position(|name| CaseKind::from_name(name) == Some(kind))?;
                place.to_string()
            }
        };
        let named = model_type.unwrap_or(ALL);
        let is_line = |line: &&str| {
            let name = line.split('|').next().unwrap_or_default();
            match on {
                MeasuredOn::Builds => name == named,
                MeasuredOn::H200 => name.strip_suffix("@h200") == Some(named),
            }
        };
        let mut cells = lines.find(is_line)?.split('|').skip(1);
        let numbers = cells.find_map(|cell| {
            let (name, numbers) = cell.split_once(' ')?;
            (name == column).then_some(numbers)
        })?;
        Some(CaseErrors::read(numbers))
    }

    /// The measured cases near a scenario.
    pub fn near(self, scenario: &Scenario) -> Near {
        let key = CaseKey::of(scenario);
        let (own, kind) = (key.model_type.as_deref(), Some(key.kind));
        let of_type = |kind, on| own.and_then(|own| self.errors(Some(own), kind, on));
        let on_gpu = of_type(kind, MeasuredOn::H200);
        Near {
            same: of_type(kind, MeasuredOn::Builds),
            of_type: of_type(None, MeasuredOn::Builds),
            of_kind: self.errors(None, kind, MeasuredOn::Builds),
            on_gpu: on_gpu.or_else(|| self.errors(None, kind, MeasuredOn::H200)),
            key,
        }
    }
}
