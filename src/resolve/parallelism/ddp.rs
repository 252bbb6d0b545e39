//! PyTorch's `DistributedDataParallel`.

use crate::ask::{ActivationCheckpointing, DataParallelKind, Finding, Program, Scenario, message};

/// Refuses what it cannot train: parameters that it looks for in the graph, and does not find since re-entrant
/// checkpointing hides them, are ready twice (`Reducer::mark_variable_ready`,
/// `torch/csrc/distributed/c10d/reducer.cpp`, torch 2.15).
pub(super) fn refuse(scenario: &Scenario, findings: &mut Vec<Finding>) {
    let dp = &scenario.parallelism.dp;
    let hides = scenario.activation_checkpointing == ActivationCheckpointing::FullReentrant
        && scenario.program == Program::Training;
    if dp.kind == DataParallelKind::Ddp
        && hides
        && dp.ddp.find_unused_parameters
        && !dp.ddp.static_graph
    {
        let key = "parallelism.dp.find_unused_parameters";
        let finding = Finding::error(key, message!(parallelism::ready_twice));
        findings.push(finding.with_fix(key, false));
    }
}
