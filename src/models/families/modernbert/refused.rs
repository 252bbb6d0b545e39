//! Cases of `ModernBERT` that are not estimated.

use crate::ask::{Attention, Finding, Scenario, Task, message};
use crate::model::Architecture;

/// Refuses deviations of transformers 4.
pub(crate) fn check(
    scenario: &Scenario,
    architecture: &Architecture,
    task: Task,
    findings: &mut Vec<Finding>,
) {
    let Architecture::ModernBert(config) = architecture else {
        return;
    };
    if scenario.framework.has_transformers_5() {
        return;
    }
    if config.compiled {
        findings.push(
            Finding::error(
                "model_overrides.reference_compile",
                message!(modernbert::compiled),
            )
            .with_fix("model_overrides.reference_compile", false),
        );
    }
    if scenario.attention == Attention::FlashAttention2 {
        findings.push(
            Finding::error("attention", message!(modernbert::flash_unpads))
                .with_fix("attention", Attention::Sdpa.name()),
        );
    }
    let classifies = task == Task::SequenceClassification;
    if classifies && config.mean_pooling && !scenario.has_padding() {
        findings.push(
            Finding::error("padding_mask", message!(modernbert::mean_without_mask))
                .with_fix("padding_mask", true),
        );
    }
}
