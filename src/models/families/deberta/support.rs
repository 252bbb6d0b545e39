//! Options that `DeBERTa` lacks, which transformers writes with attention of its own.

use crate::ask::{ActivationCheckpointing, Attention, Finding, Precision, Scenario, message};
use crate::model::Architecture;

/// Refuses what attention to distances does not run in.
fn check_flash(scenario: &Scenario, findings: &mut Vec<Finding>) {
    if scenario.attention == Attention::FlashAttention2 {
        findings.push(
            Finding::error("attention", message!(deberta::eager_only))
                .with_fix("attention", Attention::Eager.name()),
        );
    }
}

/// Refuses options that the first version lacks.
pub(crate) fn check_first(scenario: &Scenario, _: &Architecture, findings: &mut Vec<Finding>) {
    check_flash(scenario, findings);
    if scenario.precision != Precision::Fp32 {
        findings.push(
            Finding::error("precision", message!(deberta::float32_only))
                .with_fix("precision", Precision::Fp32.name()),
        );
    }
}

/// Refuses options that the second version lacks.
pub(crate) fn check_second(scenario: &Scenario, _: &Architecture, findings: &mut Vec<Finding>) {
    check_flash(scenario, findings);
    if scenario.activation_checkpointing == ActivationCheckpointing::FullReentrant {
        findings.push(
            Finding::error(
                "activation_checkpointing",
                message!(deberta::reentrant_shared_distances),
            )
            .with_fix(
                "activation_checkpointing",
                ActivationCheckpointing::Full.name(),
            ),
        );
    }
}

/// `DisentangledSelfAttention` of the second fills scores with the least number of its queries' dtype:
/// quantized layers give them in float32, autocast the scores in 16 bits.
pub(crate) fn check_quantized(scenario: &Scenario, _: &Architecture, findings: &mut Vec<Finding>) {
    let autocast = scenario.precision.autocasts();
    if scenario.quantization.is_on() && autocast {
        findings.push(
            Finding::error("precision", message!(deberta::autocast_over_quantized))
                .with_fix("precision", Precision::Bf16.name()),
        );
    }
}
