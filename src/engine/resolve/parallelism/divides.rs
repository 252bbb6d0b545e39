//! Modules and states that a scenario divides among ranks.

use crate::ask::{ExpertParallelKind, Scenario, TensorParallelKind};

/// Whether a scenario divides modules as `torch.distributed.tensor` does.
pub(super) fn divides_modules(scenario: &Scenario) -> bool {
    let asked = scenario.parallelism.tp;
    asked.size > 1 && asked.kind == TensorParallelKind::DTensor
}

/// Whether a scenario divides whole experts as transformers does.
pub(in crate::resolve) fn divides_experts(scenario: &Scenario) -> bool {
    let asked = scenario.parallelism.ep;
    asked.size > 1 && asked.kind != ExpertParallelKind::Megatron
}
