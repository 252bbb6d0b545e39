//! Candidates that are no plans, and why.

use crate::ask::{Finding, Severity};
use crate::report::Memory;
use crate::sim::Phase;
use crate::units::Bytes;

/// Why candidates are no plans.
#[derive(Clone, Debug, PartialEq)]
pub enum Why {
    /// They need more memory than there is with the headroom.
    Short {
        /// The memory.
        memory: Memory,
        /// When the GPU needs most; nothing of a node's RAM.
        phase: Option<Phase>,
        /// By how much the one that is nearest to fitting.
        by: Bytes,
    },
    /// They are refused.
    Refused(Finding),
    /// They fit, but a plan is as good in all that is compared.
    Dominated,
}

/// Candidates that are no plans for one reason.
#[derive(Clone, Debug, PartialEq)]
pub struct Rejection {
    /// Why.
    pub why: Why,
    /// How many.
    pub count: u64,
}

/// All of them, grouped by the reason.
#[derive(Clone, Debug, Default)]
pub(super) struct Rejected(Vec<Rejection>);

impl Rejected {
    pub(super) fn add(&mut self, why: Why, count: u64) {
        if count == 0 {
            return;
        }
        let same = |other: &&mut Rejection| match (&other.why, &why) {
            (Why::Dominated, Why::Dominated) => true,
            (Why::Refused(one), Why::Refused(other)) => {
                one.key == other.key && one.message.code == other.message.code
            }
            (
                Why::Short { memory, phase, .. },
                Why::Short {
                    memory: other,
                    phase: when,
                    ..
                },
            ) => memory == other && phase == when,
            _ => false,
        };
        match self.0.iter_mut().find(same) {
            Some(group) => {
                group.count += count;
                if let (Why::Short { by, .. }, Why::Short { by: other, .. }) =
                    (&mut group.why, &why)
                {
                    *by = (*by).min(*other);
                }
            }
            None => self.0.push(Rejection { why, count }),
        }
    }

    /// A candidate is refused.
    pub(super) fn refuse(&mut self, findings: Vec<Finding>) {
        let mut errors = findings.into_iter();
        if let Some(error) = errors.find(|finding| finding.severity == Severity::Error) {
            self.add(Why::Refused(error), 1);
        }
    }

    /// The groups, the largest first.
    pub(super) fn sorted(&self) -> Vec<Rejection> {
        let mut groups = self.0.clone();
        groups.sort_by_key(|group| std::cmp::Reverse(group.count));
        groups
    }
}
