//! From the computations of each rank to all of its actions: parameters gathered, tensors sent and received, gradients
//! reduced (`_prepare_schedule_with_comms`).

use super::action::{Action, Computation, Step};
use super::orders::computes;
use super::plan::Plan;
use std::collections::VecDeque;

/// Stages of a rank whose parameters are gathered at once (`max_active_stages`).
const ACTIVE_STAGES: usize = 3;

/// All that a rank does in a step.
pub(super) fn program(plan: Plan, rank: u64) -> Vec<Action> {
    let all = (0..plan.ranks).map(|rank| {
        let steps = with_gathers(&computes(plan, rank));
        with_reductions(plan, steps)
    });
    let mut all = with_sends(plan, all.collect());
    let rank = usize::try_from(rank).unwrap_or(usize::MAX);
    let own = all.get_mut(rank).map(std::mem::take);
    with_waits(&own.unwrap_or_default())
}

/// `_add_unshard_reshard`.
fn with_gathers(steps: &[Step]) -> Vec<Step> {
    // The stages that compute from each step on, in the order in which they do.
    let mut next: Vec<Vec<u64>> = Vec::with_capacity(steps.len());
    let mut upcoming: Vec<u64> = Vec::new();
    for step in steps.iter().rev() {
        let own: Vec<u64> = step.actions().map(|action| action.stage).collect();
        upcoming.retain(|stage| !own.contains(stage));
        upcoming.splice(0..0, own);
        next.push(upcoming.iter().copied().take(ACTIVE_STAGES).collect());
    }
    let mut active: Vec<u64> = Vec::new();
    let mut all = Vec::with_capacity(2 * steps.len());
    let of_stage = |stage: &u64, computation| Step::from(Action::of_stage(*stage, computation));
    for (step, next) in steps.iter().zip(next.iter().rev()) {
        let leaving = active.iter().filter(|stage| !next.contains(stage));
        all.extend(leaving.map(|stage| of_stage(stage, Computation::Reshard)));
        let coming: Vec<u64> = (next.iter().copied())
            .filter(|stage| !active.contains(stage))
            .collect();
        active.retain(|stage| next.contains(stage));
        all.extend((coming.iter()).map(|stage| of_stage(stage, Computation::Unshard)));
        active.extend(coming);
        all.push(*step);
    }
    all.extend((active.iter()).map(|stage| of_stage(stage, Computation::Reshard)));
    all
}

/// `_add_reduce_grad`: after the last micro-batch of a stage.
fn with_reductions(plan: Plan, steps: Vec<Step>) -> Vec<Step> {
    let mut all = Vec::with_capacity(steps.len());
    let mut done = vec![0; usize::try_from(plan.stages()).unwrap_or(0)];
    for step in steps {
        all.push(step);
        for action in step.actions() {
            let Some(done) = done.get_mut(place(action.stage)) else {
                continue;
            };
            *done += u64::from(action.computation.gives_weight_gradients());
            if action.computation.gives_weight_gradients() && *done == plan.micro_batches {
                let reduce = [
                    Computation::ReduceGradients,
                    Computation::WaitReduceGradients,
                ];
                all.extend(reduce.map(|what| Step::from(Action::of_stage(action.stage, what))));
            }
        }
    }
    all
}

fn place(of: u64) -> usize {
    usize::try_from(of).unwrap_or(usize::MAX)
}

/// Tensors of each micro-batch that each stage has.
struct There {
    plan: Plan,
    /// Received inputs, received gradients, inputs of a stage on the same rank, and gradients of one.
    what: [Vec<bool>; 2],
}

impl There {
    fn index(&self, stage: u64, micro_batch: u64) -> usize {
        place(stage * self.plan.micro_batches + micro_batch)
    }

    /// Something has come for a stage: its input or its gradient.
    fn comes(&mut self, gradient: bool, stage: u64, micro_batch: u64) {
        let at = self.index(stage, micro_batch);
        if let Some(there) = self.what[usize::from(gradient)].get_mut(at) {
            *there = true;
        }
    }

    fn is_there(&self, gradient: bool, stage: u64, micro_batch: u64) -> bool {
        let at = self.index(stage, micro_batch);
        self.what[usize::from(gradient)].get(at) == Some(&true)
    }

    /// `_ready_to_schedule`.
    fn ready(&self, action: Action) -> bool {
        let Action {
            stage,
            computation,
            micro_batch,
        } = action;
        match computation {
            Computation::Forward => stage == 0 || self.is_there(false, stage, micro_batch),
            Computation::FullBackward | Computation::BackwardInput => {
                stage + 1 == self.plan.stages() || self.is_there(true, stage, micro_batch)
            }
            _ => true,
        }
    }

    /// The stage that reads the result of an action, and whether the result is a gradient.
    fn reader(&self, action: Action) -> Option<(u64, bool)> {
        let stage = action.stage;
        if action.computation == Computation::Forward {
            let next = stage + 1;
            return (next < self.plan.stages()).then_some((next, false));
        }
        let gives = action.computation.gives_input_gradient();
        let before = stage.checked_sub(1)?;
        gives.then_some((before, true))
    }
}

/// `_add_send_recv`: a receive is posted when its sender's action comes to be scheduled.
fn with_sends(plan: Plan, computes: Vec<Vec<Step>>) -> Vec<Vec<Step>> {
    let size = place(plan.stages() * plan.micro_batches);
    let mut there = There {
        plan,
        what: [vec![false; size], vec![false; size]],
    };
    let mut left: Vec<VecDeque<Step>> = computes.into_iter().map(VecDeque::from).collect();
    let mut all: Vec<Vec<Step>> = vec![Vec::new(); left.len()];
    loop {
        let mut progress = false;
        for rank in 0..left.len() {
            let Some(&step) = left[rank].front() else {
                continue;
            };
            if !step.actions().all(|action| there.ready(action)) {
                continue;
            }
            left[rank].pop_front();
            progress = true;
            all[rank].push(step);
            for action in step.actions() {
                let Some((reader, gradient)) = there.reader(action) else {
                    continue;
                };
                let micro_batch = action.micro_batch;
                there.comes(gradient, reader, micro_batch);
                let to = place(plan.rank_of(reader));
                if to == rank {
                    continue;
                }
                let [send, receive] = if gradient {
                    [Computation::SendBackward, Computation::ReceiveBackward]
                } else {
                    [Computation::SendForward, Computation::ReceiveForward]
                };
                all[rank].push(Action::new(action.stage, send, micro_batch).into());
                all[to].push(Action::new(reader, receive, micro_batch).into());
            }
        }
        if !progress {
            return all;
        }
    }
}

/// `_add_wait_send`: a forward's send is waited for after the backward of the same micro-batch, a backward's
/// in the end.
fn with_waits(steps: &[Step]) -> Vec<Action> {
    let mut sending: Vec<Action> = Vec::new();
    let mut all = Vec::with_capacity(2 * steps.len());
    for step in steps {
        all.extend(step.actions());
        if matches!(
            step.first.computation,
            Computation::SendForward | Computation::SendBackward
        ) {
            sending.push(step.first);
        }
        for action in step.actions() {
            let sent = Action {
                computation: Computation::SendForward,
                ..action
            };
            let gives = action.computation.gives_input_gradient();
            let found = sending.iter().position(|send| gives && *send == sent);
            all.extend(found.map(|at| waited(sending.remove(at))));
        }
    }
    all.extend(sending.into_iter().map(waited));
    all
}

/// The wait for a send.
fn waited(send: Action) -> Action {
    let computation = match send.computation {
        Computation::SendForward => Computation::WaitSendForward,
        _ => Computation::WaitSendBackward,
    };
    Action {
        computation,
        ..send
    }
}
