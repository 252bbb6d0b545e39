//! The run of one rank, and which of a pipeline takes most.

use super::side_by_side::each;
use super::{Communication, Compute, DeviceSummary, summarize};
use crate::model::ResolvedSpec;
use crate::sim::{Trace, simulate};
use crate::units::Bytes;

/// The run of one rank.
pub(super) struct RankRun {
    /// The facts of its run.
    pub(super) spec: ResolvedSpec,
    /// Its trace.
    pub(super) trace: Trace,
    /// The summary of the trace; `None` for a trace without phases.
    pub(super) summary: Option<DeviceSummary>,
}

impl RankRun {
    pub(super) fn of(spec: ResolvedSpec) -> Self {
        let trace = simulate(&spec);
        let summary = summarize(&spec, &trace);
        Self {
            spec,
            trace,
            summary,
        }
    }

    /// Number of ranks, from this one on among the ranks that divide one copy of the parameters, that certainly do the
    /// same work: 1 at least.
    pub(super) fn alike(&self) -> u64 {
        let here = self.spec.mesh.place_in_shard();
        self.trace.alike_until.saturating_sub(here).max(1)
    }

    fn total(&self) -> Option<Bytes> {
        self.summary.as_ref().map(|summary| summary.report.total)
    }

    /// The run of the rank of a pipeline that takes most of its device, the first of equal ones, where the
    /// scenario names none.
    pub(super) fn of_binding_rank(spec: ResolvedSpec) -> Self {
        Self::of_binding_rank_and_last(spec).0
    }

    /// The run of the binding rank, with the work of the last of the ranks that were compared.
    pub(super) fn of_binding_rank_and_last(
        spec: ResolvedSpec,
    ) -> (Self, Option<(Compute, Communication)>) {
        if is_named(&spec) {
            return (Self::of(spec), None);
        }
        let at = |rank| Self::of(at_stage(spec.clone(), rank));
        let stages: Vec<u64> = (0..spec.mesh.pp).collect();
        let runs = each(&stages, |&stage| at(stage));
        let last = runs.last().and_then(|run| run.summary.as_ref());
        let last = last.map(|DeviceSummary { report, .. }| (report.compute, report.communication));
        let most = runs.into_iter().reduce(Self::more);
        (most.unwrap_or_else(|| at(0)), last)
    }

    /// The run that takes more, the first of equal ones.
    pub(super) fn more(self, later: Self) -> Self {
        if later.total() > self.total() {
            later
        } else {
            self
        }
    }
}

/// The facts of the rank that takes most of its device, where the scenario names none.
pub(super) fn of_binding_rank(spec: ResolvedSpec) -> ResolvedSpec {
    if is_named(&spec) {
        return spec;
    }
    RankRun::of_binding_rank(spec).spec
}

/// Whether it is known which rank is looked at.
pub(super) fn is_named(spec: &ResolvedSpec) -> bool {
    spec.mesh.pp < 2 || spec.parallelism.pp.rank.is_some()
}

/// The facts of the rank that has these stages.
pub(super) fn at_stage(mut spec: ResolvedSpec, rank: u64) -> ResolvedSpec {
    if spec.mesh.pp > 1 {
        spec.mesh.rank.pp = rank;
        spec.parallelism.pp.rank = Some(rank);
    }
    spec
}
