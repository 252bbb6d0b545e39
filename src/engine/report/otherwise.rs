//! The memory that a job takes when settings are otherwise than it is estimated, such as another version of its trainer
//! has them.

use super::{Report, estimate};
use crate::ask::{Fix, Scenario};
use crate::units::Bytes;

/// The most that a job needs on its device, whichever of some changes apply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Otherwise {
    /// Bytes that each change adds alone; zero where it takes less.
    pub each: Vec<Bytes>,
    /// The most bytes that the device needs: as estimated, with one of the changes, or with all of them.
    pub most: Bytes,
}

impl Otherwise {
    /// The memory of the job of a `report` if its scenario has these changes. `None` if a change is refused.
    pub fn of(report: &Report, scenario: &Scenario, changes: &[Fix]) -> Option<Self> {
        let needed = report.verdict.device.needed;
        let need = |of: &Scenario| Some(estimate(of).ok()?.report.verdict.device.needed);
        let alone = changes.iter().map(|change| need(&change.apply(scenario)?));
        let alone: Vec<Bytes> = alone.collect::<Option<_>>()?;
        let mut together = scenario.clone();
        for change in changes {
            together = change.apply(&together)?;
        }
        let together = (changes.len() > 1).then(|| need(&together));
        let all = alone.iter().copied().chain(together.flatten());
        Some(Self {
            most: all.fold(needed, Bytes::max),
            each: alone.into_iter().map(|own| own - needed).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(key: &str, value: serde_json::Value) -> Fix {
        let key = key.to_owned();
        Fix { key, value }
    }

    #[test]
    fn a_bound_is_the_need_of_the_changes_that_take_most() {
        let scenario = Scenario::default();
        let report = estimate(&scenario).unwrap().report;
        let needed = report.verdict.device.needed;
        let more = change("micro_batch_size", (scenario.micro_batch_size * 2).into());
        let less = change("optimizer.name", "sgd".into());
        let doubled = more.apply(&scenario).unwrap();
        let doubled = estimate(&doubled).unwrap().report.verdict.device.needed;
        assert!(doubled > needed);
        let of = Otherwise::of(&report, &scenario, &[less, more]).unwrap();
        assert_eq!(of.each, [Bytes(0), doubled - needed]);
        assert_eq!(of.most, doubled);
        let none = Otherwise::of(&report, &scenario, &[]).unwrap();
        assert_eq!(none.most, needed);
    }

    #[test]
    fn a_change_that_is_refused_has_no_bound() {
        let scenario = Scenario::default();
        let report = estimate(&scenario).unwrap().report;
        let refused = change("micro_batch_size", 0.into());
        assert_eq!(Otherwise::of(&report, &scenario, &[refused]), None);
    }
}
