//! Plans of several changes, ready to be taken.

use super::change::{RemedyKind, changed};
use super::remedy::Outcome;
use crate::ask::Scenario;
use crate::decide::question::{Estimator, Progress, Question};
use crate::report::{Fit, Memory};
use crate::units::{Bytes, names};
use serde::Serialize;

names! {
    /// How far a plan goes.
    ReadyKind {
        /// No more than it takes to fit, of changes that leave micro-batches, jobs and what is learnt as they are.
        LeastIntrusive = "least_intrusive",
        /// A tenth of each memory stays free; micro-batches, sharding, jobs and the optimizer may change.
        Balanced = "balanced",
        /// All that saves, onto the host too; adapters where nothing else does.
        Maximal = "maximal",
    }
}

/// Changes in the order in which they are tried: first changes that cost nothing, then changes that cost ever more.
const LEAST_INTRUSIVE: &[RemedyKind] = &[
    RemedyKind::ExpandableSegments,
    RemedyKind::SetToNone,
    RemedyKind::DropOutputs,
    RemedyKind::FusedOptimizer,
    RemedyKind::FusedAttention,
    RemedyKind::LogitsToKeep,
    RemedyKind::MapDataset,
    RemedyKind::ReleaseArrowPool,
    RemedyKind::FreshWorkers,
    RemedyKind::FewerWorkers,
    RemedyKind::LigerKernels,
    RemedyKind::ChunkedLoss,
    RemedyKind::CutCrossEntropy,
    RemedyKind::SmallerEvaluation,
    RemedyKind::MovePredictions,
    RemedyKind::ActivationCheckpointing,
];
const BALANCED: &[RemedyKind] = &[
    RemedyKind::ReduceEachBatch,
    RemedyKind::ShardStates,
    RemedyKind::ShardParameters,
    RemedyKind::SmallerMicroBatch,
    RemedyKind::FewerJobs,
    RemedyKind::FewerJobsPerGpu,
    RemedyKind::Autocast,
    RemedyKind::EightBitOptimizer,
];
const MAXIMAL: &[RemedyKind] = &[
    RemedyKind::NoPinning,
    RemedyKind::NoWorkers,
    RemedyKind::OffloadOptimizer,
    RemedyKind::OffloadActivations,
];
/// Tried only while it does not fit.
const LAST: &[RemedyKind] = &[RemedyKind::PureBf16, RemedyKind::Lora, RemedyKind::Qlora];

/// The share of a memory that stays free where there is a choice: one in `ONE_IN`. 10 to 20 % are advised, since
/// batches, kernels and other programs differ from day to day.
const ONE_IN: u64 = 10;

/// A change that saves less than one in `WORTH` bytes of a memory is not worth its place in a plan.
const WORTH: u64 = 200;

/// Bytes that are missing until the headroom stays free.
fn missing(side: Fit) -> Bytes {
    side.needed + Bytes(side.capacity.get() / ONE_IN) - side.capacity
}

impl ReadyKind {
    /// Whether the plan goes on until a share stays free, or until it fits.
    fn is_reached(self, fits_now: bool, outcome: &Outcome) -> bool {
        match self {
            Self::LeastIntrusive if !fits_now => outcome.fits(),
            Self::LeastIntrusive | Self::Balanced => outcome.is_roomy(),
            Self::Maximal => false,
        }
    }

    fn changes(self) -> impl Iterator<Item = RemedyKind> {
        let lists: [&[RemedyKind]; 4] = match self {
            Self::LeastIntrusive => [LEAST_INTRUSIVE, &[], &[], &[]],
            Self::Balanced => [LEAST_INTRUSIVE, BALANCED, &[], &[]],
            Self::Maximal => [LEAST_INTRUSIVE, BALANCED, MAXIMAL, LAST],
        };
        lists.into_iter().flatten().copied()
    }
}

/// A change within a plan.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Step {
    /// Which.
    pub kind: RemedyKind,
    /// How often it is made.
    pub times: u64,
    /// The run after it and all before it.
    pub outcome: Outcome,
}

/// Several changes together.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReadyPlan {
    /// How far it goes.
    pub kind: ReadyKind,
    /// The changes, in the order in which they were tried.
    pub steps: Vec<Step>,
    /// The scenario with all of them.
    pub scenario: Scenario,
    /// The run with all of them.
    pub outcome: Outcome,
}

/// Goes from plan to plan, a change at a time: each goes on where the one before has ended.
#[derive(Clone, Debug)]
pub(super) struct Walk {
    fits_now: bool,
    scenario: Scenario,
    outcome: Outcome,
    steps: Vec<Step>,
    /// The plan, and how many of its changes have been tried.
    at: (usize, usize),
    /// Whether a change was taken since the first of them was tried: another phase may bind now, so that what saved
    /// nothing before may do so.
    took: bool,
    plans: Vec<ReadyPlan>,
}

impl Walk {
    /// From a scenario that takes so much.
    pub(super) fn from(scenario: &Scenario, outcome: Outcome) -> Self {
        Self {
            fits_now: outcome.fits(),
            scenario: scenario.clone(),
            outcome,
            steps: Vec::new(),
            at: (0, 0),
            took: false,
            plans: Vec::new(),
        }
    }

    /// The plans, each of which does something more than the one before.
    pub(super) fn plans(&self) -> &[ReadyPlan] {
        &self.plans
    }

    fn take(&mut self, kind: RemedyKind, scenario: Scenario, outcome: Outcome) {
        self.scenario = scenario;
        self.outcome = outcome;
        self.took = true;
        match self.steps.last_mut() {
            Some(last) if last.kind == kind => {
                last.times += 1;
                last.outcome = outcome;
            }
            _ => self.steps.push(Step {
                kind,
                times: 1,
                outcome,
            }),
        }
    }

    fn close(&mut self, kind: ReadyKind) {
        let before = self.plans.last().map_or(&[][..], |plan| &plan.steps);
        if self.steps != before {
            self.plans.push(ReadyPlan {
                kind,
                steps: self.steps.clone(),
                scenario: self.scenario.clone(),
                outcome: self.outcome,
            });
        }
    }
}

impl Question for Walk {
    fn advance(&mut self, by: &mut dyn Estimator) -> Progress {
        loop {
            let (plan, tried) = self.at;
            let Some(&kind) = ReadyKind::ALL.get(plan) else {
                return Progress::Done;
            };
            let next = kind.changes().nth(tried);
            let next = next.filter(|_| !kind.is_reached(self.fits_now, &self.outcome));
            let begins_anew = self.took && next.is_none_or(|change| LAST.contains(&change));
            if begins_anew && !kind.is_reached(self.fits_now, &self.outcome) {
                self.at = (plan, 0);
                self.took = false;
                continue;
            }
            let Some(change) = next else {
                self.close(kind);
                self.at = (plan + 1, 0);
                self.took = false;
                continue;
            };
            let waits = LAST.contains(&change) && self.outcome.is_roomy();
            let to = changed(&self.scenario, change).filter(|_| !waits);
            let Some(to) = to else {
                self.at.1 += 1;
                continue;
            };
            let Some(answer) = by.figures(&to) else {
                return Progress::Waits;
            };
            self.at.1 += 1;
            if let Ok(figures) = answer {
                let outcome = Outcome::of(&to, &figures);
                if helps(kind, &self.outcome, &outcome) {
                    self.take(change, to, outcome);
                    if change.repeats() {
                        self.at.1 = tried;
                    }
                }
            }
            return Progress::Further;
        }
    }
}

/// Whether a change brings a plan nearer to its end: a memory that is short has less to hold, and no other becomes
/// short. In the last plan any memory may have less to hold.
fn helps(kind: ReadyKind, now: &Outcome, then: &Outcome) -> bool {
    let has_less = |&memory: &Memory| {
        let (before, after) = (now.side(memory), then.side(memory));
        let is_short = missing(before) > Bytes::ZERO || kind == ReadyKind::Maximal;
        is_short && before.needed - after.needed > Bytes(before.capacity.get() / WORTH)
    };
    let holds = |&memory: &Memory| {
        let missing = |outcome: &Outcome| missing(outcome.side(memory));
        missing(then) == Bytes::ZERO || missing(then) <= missing(now)
    };
    Memory::ALL.iter().any(has_less) && Memory::ALL.iter().all(holds)
}
