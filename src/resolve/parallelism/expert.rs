//! Expert parallelism.

use super::mesh::divisor;
use super::refusal::not_estimated;
use super::sizes::must_divide;
use crate::ask::{ExpertParallelKind, Finding, Scenario, message};
use crate::model::Experts;

/// The key of its ranks.
const SIZE: &str = "parallelism.ep.size";

/// Expert parallelism is not estimated yet.
pub(super) fn refuse(scenario: &Scenario, findings: &mut Vec<Finding>) {
    let asked = scenario.parallelism.ep;
    if asked.size > 1 && asked.kind != ExpertParallelKind::Megatron {
        let what = message!(parallelism::expert_parallelism);
        findings.push(not_estimated(SIZE, &what, 1));
    }
}

/// Refuses it without experts, with ranks that they are not divided among, and with ranks that are not
/// among those of the other axes.
pub(super) fn check(scenario: &Scenario, experts: Option<&Experts>, findings: &mut Vec<Finding>) {
    let asked = scenario.parallelism.ep;
    if asked.size < 2 {
        return;
    }
    let Some(experts) = experts else {
        let finding = Finding::error(SIZE, message!(parallelism::no_experts));
        findings.push(finding.with_fix(SIZE, 1));
        return;
    };
    let whole = [(message!(parallelism::experts), Some(experts.count))];
    must_divide(SIZE, asked.size, &whole, findings);
    let hardware = &scenario.hardware;
    let mesh = scenario
        .parallelism
        .mesh(hardware.nodes, hardware.gpus_per_node);
    // `DistributedConfig` (transformers 5.23) and `initialize_model_parallel` (megatron-core 0.16.1), whose
    // experts are divided among tensor parallel ranks, too, unless it is said.
    let ranks = match asked.kind {
        ExpertParallelKind::AllToAll => mesh.shard * mesh.tp,
        ExpertParallelKind::AllReduce => mesh.tp,
        ExpertParallelKind::Megatron => mesh.dp * mesh.cp,
    };
    if !ranks.is_multiple_of(asked.size) {
        let size = asked.size;
        let finding = Finding::error(
            SIZE,
            message!(parallelism::expert_ranks, key = SIZE, size, ranks),
        );
        findings.push(finding.with_fix(SIZE, divisor(ranks, size)));
    }
}
