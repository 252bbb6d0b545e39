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
    let is_better = |outcome: &Outcome, than: Option<&Outcome>| {
        let brings = |outcome: &Outcome| (outcome.fits(), outcome.is_roomy());
        than.is_none_or(|than| brings(outcome) > brings(than))
    };
    let first = first_of(&left).map(|remedy| &remedy.outcome);
    let plans = || advice.plans.iter();
    let plan = plans().find(|plan| plan.outcome.is_roomy());
    let plan = plan.or_else(|| plans().find(|plan| plan.outcome.fits()));
    ways.extend(
        plan.filter(|plan| is_better(&plan.outcome, first))
            .map(WayOut::Plan),
    );
    while let Some(remedy) = first_of(&left).filter(|_| ways.len() < most) {
        ways.push(WayOut::Change(remedy));
        left.retain(|other| other.kind != remedy.kind);
    }
    ways
}
