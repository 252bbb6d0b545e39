//! A base model whose linear layers are held in fewer bits (bitsandbytes), and its checks.

use crate::ask::{ActivationCheckpointing, Finding, ModelRef, QuantizationType, Scenario, message};

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
    let eight_bits = scenario.quantization.kind == QuantizationType::Int8;
    let checkpointed = scenario.activation_checkpointing == ActivationCheckpointing::Full;
    if scenario.quantization.experts && eight_bits && checkpointed {
        const KEY: &str = "activation_checkpointing";
        let why = message!(quantization::experts_stay_unpacked);
        findings.push(
            Finding::warning("quantization.experts", why)
                .with_fix(KEY, ActivationCheckpointing::FullReentrant.name()),
        );
    }
}
