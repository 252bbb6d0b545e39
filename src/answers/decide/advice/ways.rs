//! The few ways out that are named beside a failure.

use super::adviser::Advice;
use super::ready::ReadyPlan;
use super::remedy::{Outcome, Remedy, first_of};
use crate::report::Memory;

/// A way out of a run that does not fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WayOut<'a> {
    /// A single change.
    Change(&'a Remedy),
    /// Several changes.
    Plan(&'a ReadyPlan),
}

/// The plan to be tried first, where it brings more than `change`: it fits, or leaves a tenth free, and that does not.
pub fn plan_beyond<'a>(advice: &'a Advice, change: Option<&Outcome>) -> Option<&'a ReadyPlan> {
    let brings = |outcome: &Outcome| (outcome.fits(), outcome.is_roomy());
    let plans = || advice.plans.iter();
    let plan = plans().find(|plan| plan.outcome.is_roomy());
    let plan = plan.or_else(|| plans().find(|plan| plan.outcome.fits()));
    plan.filter(|plan| change.is_none_or(|change| brings(&plan.outcome) > brings(change)))
}

/// At most `most` ways out of a lack of this memory, the one to be tried first at the front. A plan leads where no single
/// change brings as much. Where the run fits by its estimate, changes that save of that memory, the cheapest first.
pub fn ways_out(advice: &Advice, memory: Memory, most: usize) -> Vec<WayOut<'_>> {
    let needed = |outcome: &Outcome| outcome.side(memory).needed;
    let saves = |remedy: &&Remedy| needed(&remedy.outcome) < needed(&advice.now);
    let mut left: Vec<&Remedy> = advice.remedies.iter().filter(saves).collect();
    if advice.now.fits() {
        return left.into_iter().take(most).map(WayOut::Change).collect();
    }
    let mut ways = Vec::new();
    let first = first_of(&left).map(|remedy| &remedy.outcome);
    ways.extend(plan_beyond(advice, first).map(WayOut::Plan));
    while let Some(remedy) = first_of(&left).filter(|_| ways.len() < most) {
        ways.push(WayOut::Change(remedy));
        left.retain(|other| other.kind != remedy.kind);
    }
    ways
}
