//! When each rank of a pipeline computes what, as if a forward pass took one unit of time and each half of a
//! backward pass one: the picture that papers on schedules draw.

use super::action::{Action, Computation, Step};
use super::orders::computes;
use super::plan::Plan;
use super::single;
use crate::ask::PipelineSchedule;
use crate::model::ResolvedSpec;
use std::collections::BTreeMap;

/// Something that a rank computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The action.
    pub action: Action,
    /// When it begins, in units of a forward pass.
    pub start: u64,
    /// When it ends.
    pub end: u64,
}

/// The actions of each rank of a pipeline in a step, rank after rank; none where there is no pipeline.
/// Communication takes no time.
pub fn schedule(spec: &ResolvedSpec) -> Vec<Vec<Slot>> {
    if spec.is_pipelined() {
        of_plan(Plan::of(spec))
    } else {
        Vec::new()
    }
}

pub(super) fn of_plan(plan: Plan) -> Vec<Vec<Slot>> {
    let orders: Vec<Vec<Action>> = (0..plan.ranks).map(|rank| order(plan, rank)).collect();
    let mut ranks: Vec<Vec<Slot>> = vec![Vec::new(); orders.len()];
    // Time at which the input of a stage is available for a micro-batch: of a forward pass, or of a backward pass.
    let mut there = BTreeMap::new();
    let mut moves = true;
    while std::mem::take(&mut moves) {
        for (order, slots) in orders.iter().zip(&mut ranks) {
            for &action in &order[slots.len()..] {
                let Some(ready) = ready(plan, &there, action) else {
                    break;
                };
                let free = slots.last().map_or(0, |slot: &Slot| slot.end);
                let start = free.max(ready);
                let end = start + length(action.computation);
                slots.push(Slot { action, start, end });
                if let Some(gives) = gives(action) {
                    there.insert(gives, end);
                }
                moves = true;
            }
        }
    }
    ranks
}

fn order(plan: Plan, rank: u64) -> Vec<Action> {
    match plan.schedule {
        PipelineSchedule::GPipe => single::order(plan.micro_batches, plan.micro_batches, rank),
        PipelineSchedule::None | PipelineSchedule::OneForwardOneBackward => {
            single::order(plan.micro_batches, plan.ranks - rank, rank)
        }
        _ => (computes(plan, rank).into_iter())
            .flat_map(Step::actions)
            .collect(),
    }
}

/// Units of time.
const fn length(computation: Computation) -> u64 {
    match computation {
        Computation::FullBackward => 2,
        _ => 1,
    }
}

/// A stage, a micro-batch, and whether it is the gradient of the stage's input.
type Given = (u64, u64, bool);

/// The result of an action for other actions.
fn gives(action: Action) -> Option<Given> {
    let backward = action.computation.gives_input_gradient();
    let forward = action.computation == Computation::Forward;
    (backward || forward).then_some((action.stage, action.micro_batch, backward))
}

/// When an action can begin; nothing while that is not known.
fn ready(plan: Plan, there: &BTreeMap<Given, u64>, action: Action) -> Option<u64> {
    let Action {
        stage,
        computation,
        micro_batch,
    } = action;
    let of = |stage, backward| there.get(&(stage, micro_batch, backward)).copied();
    if computation == Computation::Forward {
        return stage
            .checked_sub(1)
            .map_or(Some(0), |before| of(before, false));
    }
    if computation.gives_input_gradient() && stage + 1 < plan.stages() {
        return of(stage + 1, true);
    }
    of(stage, computation == Computation::BackwardWeight)
}
