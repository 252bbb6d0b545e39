//! Options that Mamba lacks.

use crate::ask::{Finding, QuantizationType, Scenario, message};
use crate::model::Architecture;

/// Refuses quantized time steps where Mamba multiplies with their weight itself (`slow_forward`,
/// `models/mamba/modeling_mamba.py`, transformers 5.23), which bitsandbytes has packed.
pub(super) fn check_time_steps(scenario: &Scenario, _: &Architecture, findings: &mut Vec<Finding>) {
    let recent = scenario.framework.has_transformers_5();
    if recent && scenario.quantization.is_on() {
        findings.push(
            Finding::error("quantization.type", message!(mamba::quantized))
                .with_fix("quantization.type", QuantizationType::None.name()),
        );
    }
}
