//! The dtype of the weights: the precision's own, or another under autocast.

use super::{Finding, Precision, Scenario};
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

/// Only autocast leaves a choice.
pub(super) fn check(scenario: &Scenario, findings: &mut Vec<Finding>) {
    let Some(weights) = scenario.weights else {
        return;
    };
    let refuse = |message: String, message_zh: String| {
        Finding::error("weights", message, message_zh).with_fix("weights", serde_json::Value::Null)
    };
    let autocast = matches!(scenario.precision, Precision::AmpBf16 | Precision::AmpFp16);
    let (precision, name) = (scenario.precision.name(), weights.name());
    if scenario.quantization.is_on() {
        findings.push(refuse(
            format!("Weights are {name} and quantized; quantization.compute_dtype says what the rest is loaded in."),
            format!("权重设为 {name} 又被量化；其余部分的类型由 quantization.compute_dtype 决定。"),
        ));
    } else if !autocast {
        findings.push(refuse(
            format!("Weights are {name} in precision {precision}; only autocast (amp_bf16, amp_fp16) leaves a choice."),
            format!("精度为 {precision} 时不能另设权重类型 {name}；只有自动混合精度（amp_bf16、amp_fp16）可以。"),
        ));
    }
}
