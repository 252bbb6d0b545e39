//! How large a pipeline is.

use crate::ask::PipelineSchedule;
use crate::model::ResolvedSpec;

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
    /// The plan of a run.
    pub(super) fn of(spec: &ResolvedSpec) -> Self {
        let pp = &spec.parallelism.pp;
        Self {
            schedule: pp.schedule,
            ranks: spec.mesh.pp,
            stages_of_rank: pp.stages(),
            micro_batches: pp.in_a_step(),
        }
    }

    /// All stages.
    pub(super) const fn stages(self) -> u64 {
        self.ranks * self.stages_of_rank
    }

    /// The rank that a stage is on.
    pub(super) const fn rank_of(self, stage: u64) -> u64 {
        self.schedule.rank_of(stage, self.ranks)
    }
}
