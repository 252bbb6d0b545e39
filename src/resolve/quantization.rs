//! A base model whose linear layers are held in fewer bits (bitsandbytes), and its checks.

use crate::ask::{Finding, ModelRef, QuantizationType, Scenario};

/// Quantized weights have no gradients.
pub(crate) fn check(scenario: &Scenario, findings: &mut Vec<Finding>) {
    if !scenario.quantization.is_on() {
        return;
    }
    if matches!(scenario.model, ModelRef::Linear { .. }) {
        findings.push(
            Finding::error(
                "quantization.type",
                "A single linear layer is not estimated with quantized weights yet.",
                "暂不支持单个线性层的量化权重。",
            )
            .with_fix("quantization.type", QuantizationType::None.name()),
        );
    } else if scenario.lora.is_none() {
        findings.push(
            Finding::error(
                "quantization.type",
                "Quantized weights cannot be trained; a quantized base needs adapters (lora).",
                "量化后的权重无法训练；量化的基座模型需要 LoRA 适配器。",
            )
            .with_fix("quantization.type", QuantizationType::None.name()),
        );
    }
}
