//! A base model whose linear layers are held in fewer bits (bitsandbytes), and its checks.

use crate::ask::{Finding, ModelRef, QuantizationType, Scenario, message};

/// Quantized weights have no gradients.
pub(crate) fn check(scenario: &Scenario, findings: &mut Vec<Finding>) {
    if !scenario.quantization.is_on() {
        return;
    }
    if matches!(scenario.model, ModelRef::Linear { .. }) {
        findings.push(
            Finding::error("quantization.type", message!(quantization::linear_layer))
                .with_fix("quantization.type", QuantizationType::None.name()),
        );
    } else if scenario.lora.is_none() {
        findings.push(
            Finding::error(
                "quantization.type",
                message!(quantization::without_adapters),
            )
            .with_fix("quantization.type", QuantizationType::None.name()),
        );
    }
}
