//! In which order a rank computes, by schedule, and on which rank a stage is.

use super::action::{Action, Computation, Step};
use super::{interleaved, v_shaped};
use crate::ask::PipelineSchedule;

/// A pipeline's size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) schedule: PipelineSchedule,
    /// Ranks.
    pub(super) ranks: u64,
    /// Stages of each rank.
    pub(super) stages_of_rank: u64,
    /// Micro-batches of a step.
    pub(super) micro_batches: u64,
}

impl Plan {
    /// All stages.
    pub(super) const fn stages(self) -> u64 {
        self.ranks * self.stages_of_rank
    }

    /// The rank that a stage is on.
    pub(super) const fn rank_of(self, stage: u64) -> u64 {
        self.schedule.rank_of(stage, self.ranks)
    }

    /// What a rank computes, in order (`_calculate_single_rank_operations`), under the schedules that run several
    /// stages a rank.
    pub(super) fn computes(self, rank: u64) -> Vec<Step> {
        match self.schedule {
            PipelineSchedule::Interleaved => interleaved::one_forward_one_backward(self, rank),
            PipelineSchedule::InterleavedZeroBubble => interleaved::zero_bubble(self, rank),
            PipelineSchedule::ZeroBubbleV => v_shaped::zero_bubble(self, rank),
            PipelineSchedule::DualPipeV => v_shaped::dual_pipe(self, rank),
            PipelineSchedule::LoopedBfs
            | PipelineSchedule::None
            | PipelineSchedule::GPipe
            | PipelineSchedule::OneForwardOneBackward => looped_breadth_first(self, rank),
        }
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
