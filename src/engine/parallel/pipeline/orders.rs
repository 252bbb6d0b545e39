//! The order in which a rank computes, by schedule.

use super::action::{Action, Computation, Step};
use super::plan::Plan;
use super::{interleaved, v_shaped};
use crate::ask::PipelineSchedule;

/// Actions of a rank, in order (`_calculate_single_rank_operations`), under the schedules that run several
/// stages a rank.
pub(super) fn computes(plan: Plan, rank: u64) -> Vec<Step> {
    match plan.schedule {
        PipelineSchedule::Interleaved => interleaved::one_forward_one_backward(plan, rank),
        PipelineSchedule::InterleavedZeroBubble => interleaved::zero_bubble(plan, rank),
        PipelineSchedule::ZeroBubbleV => v_shaped::zero_bubble(plan, rank),
        PipelineSchedule::DualPipeV => v_shaped::dual_pipe(plan, rank),
        PipelineSchedule::LoopedBfs
        | PipelineSchedule::None
        | PipelineSchedule::GPipe
        | PipelineSchedule::OneForwardOneBackward => looped_breadth_first(plan, rank),
    }
}

/// `ScheduleLoopedBFS`: all micro-batches of a stage before the next stage.
fn looped_breadth_first(plan: Plan, rank: u64) -> Vec<Step> {
    let stages = (0..plan.stages_of_rank).map(|local| local * plan.ranks + rank);
    let all = 0..plan.micro_batches;
    let forwards = stages.clone().flat_map(|stage| {
        let forward = move |i| Action::new(stage, Computation::Forward, i);
        all.clone().map(forward)
    });
    let backwards = stages.rev().flat_map(|stage| {
        let backward = move |i| Action::new(stage, Computation::FullBackward, i);
        all.clone().rev().map(backward)
    });
    forwards.chain(backwards).map(Step::from).collect()
}
