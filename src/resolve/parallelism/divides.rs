//! What a scenario divides among ranks.

use crate::ask::{Scenario, TensorParallelKind};

/// Whether a scenario divides modules as `torch.distributed.tensor` does.
pub(super) fn divides_modules(scenario: &Scenario) -> bool {
    let asked = scenario.parallelism.tp;
    asked.size > 1 && asked.kind == TensorParallelKind::DTensor
}
