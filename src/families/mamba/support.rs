//! What Mamba cannot do.

use crate::ask::{Finding, Framework, QuantizationType, Scenario};
use crate::model::Architecture;

/// Refuses quantized time steps where Mamba multiplies with their weight itself (`slow_forward`,
/// `models/mamba/modeling_mamba.py`, transformers 5.23), which bitsandbytes has packed.
pub(super) fn check_time_steps(scenario: &Scenario, _: &Architecture, findings: &mut Vec<Finding>) {
    let recent = scenario.framework == Framework::Torch215Transformers523;
    if recent && scenario.quantization.is_on() {
        findings.push(
            Finding::error(
                "quantization.type",
                "transformers 5 fails with quantized weights of Mamba (dt_proj's weight is multiplied as it is); use 16 bits.",
                "transformers 5 无法运行量化的 Mamba（它直接与 dt_proj 的权重相乘）；请使用 16 位权重。",
            )
            .with_fix("quantization.type", QuantizationType::None.name()),
        );
    }
}
