//! Deviations of Llama's relatives.

use crate::ask::{ActivationCheckpointing, Finding, Scenario, message};
use crate::model::Architecture;

/// Warns where layers of `StarCoder2` are to be checkpointed and are not.
pub(super) fn check_starcoder2(scenario: &Scenario, _: &Architecture, findings: &mut Vec<Finding>) {
    let recent = scenario.framework.has_transformers_5();
    if scenario.activation_checkpointing != ActivationCheckpointing::None && !recent {
        findings.push(
            Finding::warning(
                "activation_checkpointing",
                message!(llama::starcoder2_checkpoints),
            )
            .with_fix(
                "activation_checkpointing",
                ActivationCheckpointing::None.name(),
            ),
        );
    }
}
