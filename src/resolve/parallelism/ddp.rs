//! `DistributedDataParallel`.

use super::refusal::not_estimated;
use crate::ask::{DataParallelKind, Finding, Scenario};

/// DDP is not estimated yet.
pub(super) fn refuse(scenario: &Scenario, findings: &mut Vec<Finding>) {
    if scenario.parallelism.dp.kind == DataParallelKind::Ddp {
        findings.push(not_estimated(
            "parallelism.dp.kind",
            "DistributedDataParallel",
            " DistributedDataParallel",
            DataParallelKind::None.name(),
        ));
    }
}
