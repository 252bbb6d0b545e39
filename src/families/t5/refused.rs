//! What is not estimated of T5.

use crate::ask::{Attention, Finding, Framework, Scenario, Task};
use crate::model::Architecture;

/// Refuses sdpa where there is none.
pub(crate) fn check(scenario: &Scenario, _: &Architecture, _: Task, findings: &mut Vec<Finding>) {
    if scenario.framework != Framework::Torch215Transformers523
        && scenario.attention != Attention::Eager
    {
        findings.push(
            Finding::error(
                "attention",
                "T5 has no sdpa before transformers 5; attention must be eager.",
                "transformers 5 之前的 T5 不支持 sdpa；attention 必须为 eager。",
            )
            .with_fix("attention", Attention::Eager.name()),
        );
    }
}
