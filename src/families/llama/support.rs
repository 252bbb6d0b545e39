//! What Llama's kin do otherwise.

use crate::ask::{ActivationCheckpointing, Finding, Framework, Scenario};
use crate::model::Architecture;

/// Warns where layers of `StarCoder2` are to be checkpointed and are not.
pub(super) fn check_starcoder2(scenario: &Scenario, _: &Architecture, findings: &mut Vec<Finding>) {
    let recent = scenario.framework == Framework::Torch215Transformers523;
    if scenario.activation_checkpointing != ActivationCheckpointing::None && !recent {
        findings.push(
            Finding::warning(
                "activation_checkpointing",
                "transformers 4 does not checkpoint the layers of StarCoder2, whatever is asked for.",
                "transformers 4 不会对 StarCoder2 的各层做激活重计算，设置无效。",
            )
            .with_fix(
                "activation_checkpointing",
                ActivationCheckpointing::None.name(),
            ),
        );
    }
}
