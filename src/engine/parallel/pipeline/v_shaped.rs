//! Schedules with two stages a rank in a V: the first rank has the first and the last stage.

use super::action::{Action, Computation, Step};
use super::plan::Plan;
use std::collections::VecDeque;

/// Passes that one of a rank's two stages has done.
#[derive(Clone, Copy, Default)]
struct Done {
    forwards: u64,
    inputs: u64,
    weights: u64,
}

/// A rank's steps so far.
struct Steps {
    stages: [u64; 2],
    done: [Done; 2],
    all: Vec<Step>,
}

impl Steps {
    fn new(plan: Plan, rank: u64) -> Self {
        Self {
            stages: [rank, plan.stages() - 1 - rank],
            done: [Done::default(); 2],
            all: Vec::new(),
        }
    }

    /// The next micro-batch of one of the two stages.
    fn action(&mut self, which: usize, computation: Computation) -> Action {
        let done = &mut self.done[which];
        let micro_batch = match computation {
            Computation::Forward => done.forwards,
            Computation::BackwardWeight => done.weights,
            _ => done.inputs,
        };
        done.forwards += u64::from(computation == Computation::Forward);
        done.inputs += u64::from(computation.gives_input_gradient());
        done.weights += u64::from(computation.gives_weight_gradients());
        Action::new(self.stages[which], computation, micro_batch)
    }

    fn add(&mut self, which: usize, computation: Computation) -> Action {
        let action = self.action(which, computation);
        self.all.push(action.into());
        action
    }

    fn both_backward(&mut self, which: usize) {
        self.add(which, Computation::BackwardInput);
        self.add(which, Computation::BackwardWeight);
    }

    /// A forward of one stage and a backward of the other at once (`OVERLAP_F_B`).
    fn overlapped(&mut self, forward: usize, backward: usize) {
        let first = self.action(forward, Computation::Forward);
        let second = Some(self.action(backward, Computation::FullBackward));
        self.all.push(Step { first, second });
    }
}

/// `ScheduleZBVZeroBubble`.
pub(super) fn zero_bubble(plan: Plan, rank: u64) -> Vec<Step> {
    use Computation::{BackwardInput, BackwardWeight, Forward};
    // As many micro-batches as fill the pipeline; those beyond the plan's are left out in the end.
    let micro_batches = plan.micro_batches.max(2 * plan.ranks - 1);
    let mut steps = Steps::new(plan, rank);
    for _ in 0..2 * (plan.ranks - rank) - 1 {
        steps.add(0, Forward);
    }
    for _ in 0..rank {
        steps.add(1, Forward);
        steps.add(0, Forward);
    }
    for _ in 0..plan.ranks - rank {
        steps.add(1, Forward);
        steps.both_backward(1);
    }
    while steps.done[1].forwards < steps.done[0].forwards || steps.done[0].forwards < micro_batches
    {
        if steps.done[0].forwards < micro_batches {
            steps.add(0, Forward);
        }
        steps.both_backward(0);
        steps.add(1, Forward);
        steps.both_backward(1);
    }
    for _ in 0..rank {
        steps.add(0, BackwardInput);
        steps.add(1, BackwardInput);
    }
    for _ in 0..plan.ranks - rank {
        steps.both_backward(0);
    }
    for which in [1, 0] {
        while steps.done[which].weights < steps.done[which].inputs {
            steps.add(which, BackwardWeight);
        }
    }
    let is_there = |step: &Step| step.first.micro_batch < plan.micro_batches;
    steps.all.retain(is_there);
    steps.all
}

/// `ScheduleDualPipeV`.
pub(super) fn dual_pipe(plan: Plan, rank: u64) -> Vec<Step> {
    use Computation::{BackwardInput, Forward, FullBackward};
    let after = plan.ranks - rank - 1;
    let mut steps = Steps::new(plan, rank);
    // Gradients of weights that are still to come, the oldest first.
    let mut waiting = VecDeque::new();
    for _ in 0..2 * after {
        steps.add(0, Forward);
    }
    for _ in 0..=rank {
        steps.add(0, Forward);
        steps.add(1, Forward);
    }
    for _ in 0..after {
        waiting.push_back(steps.add(1, BackwardInput));
        weight(&mut steps, &mut waiting);
        steps.add(1, Forward);
    }
    for i in 0..(plan.micro_batches + rank + 1).saturating_sub(2 * plan.ranks) {
        if i == 0 && after == 0 {
            steps.add(0, Forward);
            steps.add(1, FullBackward);
        } else {
            steps.overlapped(0, 1);
        }
        steps.overlapped(1, 0);
    }
    for _ in 0..after {
        steps.add(1, FullBackward);
        steps.overlapped(1, 0);
    }
    let half = rank.div_ceil(2);
    let mut apart = false;
    let backward = |steps: &mut Steps, waiting: &mut VecDeque<Action>, which, apart| {
        if apart {
            waiting.push_back(steps.add(which, BackwardInput));
        } else {
            steps.add(which, FullBackward);
        }
    };
    for i in 0..=rank {
        apart |= i == half && !rank.is_multiple_of(2);
        backward(&mut steps, &mut waiting, 1, apart);
        apart |= i == half && rank.is_multiple_of(2);
        backward(&mut steps, &mut waiting, 0, apart);
    }
    for _ in 0..after {
        weight(&mut steps, &mut waiting);
        backward(&mut steps, &mut waiting, 0, apart);
    }
    for _ in 0..=rank {
        weight(&mut steps, &mut waiting);
    }
    steps.all
}

/// The gradients of weights that have waited longest, if any have.
fn weight(steps: &mut Steps, waiting: &mut VecDeque<Action>) {
    if let Some(Action {
        stage, micro_batch, ..
    }) = waiting.pop_front()
    {
        let action = Action::new(stage, Computation::BackwardWeight, micro_batch);
        steps.all.push(action.into());
    }
}
