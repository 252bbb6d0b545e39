//! Cases of T5 that are not estimated.

use crate::ask::{Attention, Finding, Scenario, Task, message};
use crate::model::Architecture;

/// Refuses sdpa where there is none.
pub(crate) fn check(scenario: &Scenario, _: &Architecture, _: Task, findings: &mut Vec<Finding>) {
    if !scenario.framework.has_transformers_5() && scenario.attention != Attention::Eager {
        findings.push(
            Finding::error("attention", message!(t5::no_sdpa))
                .with_fix("attention", Attention::Eager.name()),
        );
    }
}
