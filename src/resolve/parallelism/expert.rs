//! Expert parallelism.

use super::mesh::divisor;
use super::refusal::not_estimated;
use super::sizes::must_divide;
use crate::ask::{ExpertParallelKind, Finding, Scenario};
use crate::model::Experts;

/// The key of its ranks.
const SIZE: &str = "parallelism.ep.size";

/// Expert parallelism is not estimated yet.
pub(super) fn refuse(scenario: &Scenario, findings: &mut Vec<Finding>) {
    if scenario.parallelism.ep.size > 1 {
        findings.push(not_estimated(SIZE, "Expert parallelism", "专家并行", 1));
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
        let finding = Finding::error(
            SIZE,
            "The model has no experts that could be divided among ranks.",
            "该模型没有可在进程间划分的专家。",
        );
        findings.push(finding.with_fix(SIZE, 1));
        return;
    };
    let whole = [("experts of a layer", "每层专家", Some(experts.count))];
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
            format!(
                "{SIZE} is {size}; it must divide the {ranks} ranks of the other axes that experts can be divided among."
            ),
            format!("{SIZE} 为 {size}；它应能整除可划分专家的其他维度的 {ranks} 个进程。"),
        );
        findings.push(finding.with_fix(SIZE, divisor(ranks, size)));
    }
}
