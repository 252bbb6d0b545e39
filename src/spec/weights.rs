//! The dtype of the weights: the precision's own, or another under autocast.

use super::{ComputeDtype, Finding, Precision, Scenario};
use crate::units::DType;

/// The dtype of what is not quantized.
pub(super) fn dtype(scenario: &Scenario) -> DType {
    if scenario.quantization.is_on() {
        return scenario.quantization.unquantized_dtype();
    }
    match (scenario.precision, scenario.weights) {
        (Precision::AmpBf16 | Precision::AmpFp16, Some(weights)) => weights.dtype(),
        (precision, _) => precision.dtype(),
    }
}

impl Precision {
    /// The dtype of weights, and of inputs that are numbers: autocast's are cast where they are used.
    pub const fn dtype(self) -> DType {
        match self {
            Self::Bf16 => DType::BFloat16,
            Self::Fp16 => DType::Float16,
            Self::Fp32 | Self::AmpBf16 | Self::AmpFp16 => DType::Float32,
        }
    }
}

/// Only autocast leaves a choice, and a gradient scaler refuses gradients in float16.
pub(super) fn check(scenario: &Scenario, findings: &mut Vec<Finding>) {
    let Some(weights) = scenario.weights else {
        return;
    };
    let refuse = |message: String, message_zh: String, fix: Option<ComputeDtype>| {
        let value = fix.map_or(serde_json::Value::Null, |fix: ComputeDtype| {
            fix.name().into()
        });
        Finding::error("weights", message, message_zh).with_fix("weights", value)
    };
    let autocast = matches!(scenario.precision, Precision::AmpBf16 | Precision::AmpFp16);
    let (precision, name) = (scenario.precision.name(), weights.name());
    if scenario.quantization.is_on() {
        findings.push(refuse(
            format!("Weights are {name} and quantized; quantization.compute_dtype says what the rest is loaded in."),
            format!("权重设为 {name} 又被量化；其余部分的类型由 quantization.compute_dtype 决定。"),
            None,
        ));
    } else if !autocast {
        findings.push(refuse(
            format!("Weights are {name} in precision {precision}; only autocast (amp_bf16, amp_fp16) leaves a choice."),
            format!("精度为 {precision} 时不能另设权重类型 {name}；只有自动混合精度（amp_bf16、amp_fp16）可以。"),
            None,
        ));
    } else if scenario.precision == Precision::AmpFp16
        && weights == ComputeDtype::Fp16
        && scenario.lora.is_none()
    {
        findings.push(refuse(
            "Weights in fp16 have gradients in fp16, which a gradient scaler refuses; only adapters over them can be trained so.".to_owned(),
            "fp16 权重的梯度也是 fp16，梯度缩放（GradScaler）会拒绝；只能在其上训练 LoRA 适配器。".to_owned(),
            Some(ComputeDtype::Fp32),
        ));
    }
}
