//! PyTorch's fully sharded data parallelism.

use super::offloaded;
use crate::ask::{DataParallelKind, Finding, Program, Scenario, Severity, message};

/// FSDP is estimated with offload only, and then the host's side of it.
pub(super) fn refuse(scenario: &Scenario, findings: &mut Vec<Finding>) {
    let dp = scenario.parallelism.dp;
    if dp.kind != DataParallelKind::Fsdp1 {
        return;
    }
    if !dp.offloads() {
        const KEY: &str = "parallelism.dp.cpu_offload";
        let finding = Finding::error(KEY, message!(parallelism::without_offload));
        findings.push(finding.with_fix(KEY, true));
    }
    let refused = findings.iter().any(|f| f.severity == Severity::Error);
    if !refused && scenario.program == Program::Training {
        findings.push(offloaded::parameters_stay());
    }
}
