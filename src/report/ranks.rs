//! Which rank of a job is looked at.

use super::summarize;
use crate::model::ResolvedSpec;
use crate::sim::simulate;
use std::cmp::Reverse;

/// The run of the rank of a pipeline that takes most of its device, the first of equal ones, where the scenario
/// names none.
pub(super) fn of_binding_rank(mut spec: ResolvedSpec) -> ResolvedSpec {
    if spec.mesh.pp < 2 || spec.parallelism.pp.rank.is_some() {
        return spec;
    }
    let most = (0..spec.mesh.pp).max_by_key(|&rank| {
        spec.mesh.rank.pp = rank;
        let summary = summarize(&spec, &simulate(&spec));
        let total = summary.map(|summary| summary.report.total);
        (total, Reverse(rank))
    });
    let rank = most.unwrap_or(0);
    spec.mesh.rank.pp = rank;
    spec.parallelism.pp.rank = Some(rank);
    spec
}
