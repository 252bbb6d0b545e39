//! Candidates that are no plans, and why; those among them that miss by least.

use super::front::RunPlan;
use crate::ask::{Finding, Scenario, Severity};
use crate::report::{Figures, Memory};
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
        /// The missing bytes of the candidate nearest to fitting.
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

/// A candidate that does not fit.
#[derive(Clone, Debug, PartialEq)]
pub struct NearMiss {
    /// The run, with what it needs.
    pub plan: RunPlan,
    /// The memory that is too small.
    pub memory: Memory,
    /// Bytes that are missing there, with the headroom.
    pub by: Bytes,
}

/// A miss of one family of candidates.
#[derive(Clone, Debug)]
struct Missed {
    family: usize,
    /// Missing bytes in millionths of the memory.
    share: u64,
    miss: NearMiss,
}

/// How many misses are kept.
const KEPT: usize = 3;

/// The candidates that miss by least, one of each family: others of a family are much the same.
#[derive(Clone, Debug, Default)]
pub(super) struct Misses(Vec<Missed>);

impl Misses {
    /// Adds a candidate of a family for the scenario `asked`, if it is among the candidates that miss by least.
    pub(super) fn add(
        &mut self,
        family: usize,
        why: &Why,
        asked: &Scenario,
        (candidate, figures): (&Scenario, &Figures),
    ) {
        let &Why::Short { memory, by, .. } = why else {
            return;
        };
        let capacity = match memory {
            Memory::Device => figures.device.capacity,
            Memory::Host => figures.host.capacity,
        };
        let share = u128::from(by.get()) * 1_000_000 / u128::from(capacity.get().max(1));
        let share = u64::try_from(share).unwrap_or(u64::MAX);
        let own = self.0.iter().position(|missed| missed.family == family);
        match own {
            Some(own) if self.0[own].share <= share => return,
            Some(own) => {
                self.0.remove(own);
            }
            None if self.0.len() >= KEPT && self.0.iter().all(|missed| missed.share <= share) => {
                return;
            }
            None => {}
        }
        let plan = RunPlan::new(asked, candidate.clone(), figures);
        let miss = NearMiss { plan, memory, by };
        let place = self.0.partition_point(|missed| missed.share <= share);
        let missed = Missed {
            family,
            share,
            miss,
        };
        self.0.insert(place, missed);
        self.0.truncate(KEPT);
    }

    /// The misses, the nearest first.
    pub(super) fn nearest(&self) -> Vec<NearMiss> {
        self.0.iter().map(|missed| missed.miss.clone()).collect()
    }
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
