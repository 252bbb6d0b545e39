//! Schedules in which the stages of a rank take turns.

use super::action::{Action, Computation, Step};
use super::plan::Plan;
use std::collections::BTreeMap;

/// `ScheduleInterleaved1F1B`.
pub(super) fn one_forward_one_backward(plan: Plan, rank: u64) -> Vec<Step> {
    Turns::new(plan, rank, 2).operations(None)
}

/// `ScheduleInterleavedZeroBubble`: the gradients of weights come as much later as there are ranks before.
pub(super) fn zero_bubble(plan: Plan, rank: u64) -> Vec<Step> {
    Turns::new(plan, rank, 1).operations(Some(rank))
}

/// The turns that the stages of a rank take.
struct Turns {
    plan: Plan,
    rank: u64,
    micro_batches_of_round: u64,
    /// Forwards before the first backward.
    warmup: u64,
}

impl Turns {
    /// The turns of `rank`, with `for_each_hop` more forwards before the first backward for each rank after it
    /// (`_get_warmup_ops`).
    fn new(plan: Plan, rank: u64, for_each_hop: u64) -> Self {
        let rounds = (plan.micro_batches / plan.ranks).max(1);
        let micro_batches_of_round = plan.micro_batches / rounds;
        let of_last_rank = (plan.stages_of_rank - 1) * micro_batches_of_round;
        let warmup = of_last_rank + for_each_hop * (plan.ranks - 1 - rank);
        Self {
            plan,
            rank,
            micro_batches_of_round,
            warmup: warmup.min(plan.micro_batches * plan.stages_of_rank),
        }
    }

    /// The rank's stage of the `turn`th turn.
    fn local(&self, turn: u64) -> u64 {
        turn / self.micro_batches_of_round % self.plan.stages_of_rank
    }

    fn stage(&self, local: u64) -> u64 {
        local * self.plan.ranks + self.rank
    }

    fn forward(&self, turn: u64) -> u64 {
        self.stage(self.local(turn))
    }

    /// The stage whose `turn`th backward this is.
    fn backward(&self, turn: u64) -> u64 {
        self.stage(self.plan.stages_of_rank - 1 - self.local(turn))
    }

    /// `_get_1f1b_rank_ops`; gradients of weights apart, `delay` backwards later, if it is given.
    fn operations(&self, delay: Option<u64>) -> Vec<Step> {
        let all = self.plan.micro_batches * self.plan.stages_of_rank;
        let mut counted = Counted::default();
        let mut steps = Vec::new();
        let (backward, mut weights) = match delay {
            Some(_) => (Computation::BackwardInput, 0..all),
            None => (Computation::FullBackward, 0..0),
        };
        for turn in 0..self.warmup + all {
            if turn < all {
                steps.push(counted.next(self.forward(turn), Computation::Forward));
            }
            let Some(back) = turn.checked_sub(self.warmup) else {
                continue;
            };
            steps.push(counted.next(self.backward(back), backward));
            if delay.is_some_and(|delay| back >= delay)
                && let Some(turn) = weights.next()
            {
                steps.push(counted.next(self.backward(turn), Computation::BackwardWeight));
            }
        }
        let rest = weights.map(|turn| self.backward(turn));
        steps.extend(rest.map(|stage| counted.next(stage, Computation::BackwardWeight)));
        steps
    }
}

/// How often each stage has done what.
#[derive(Default)]
struct Counted(BTreeMap<(u64, u8), u64>);

impl Counted {
    /// The next micro-batch of a stage.
    fn next(&mut self, stage: u64, computation: Computation) -> Step {
        let done = self.0.entry((stage, computation as u8)).or_default();
        let action = Action::new(stage, computation, *done);
        *done += 1;
        action.into()
    }
}
