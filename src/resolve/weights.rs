//! The dtype of the weights: the precision's own, or another under autocast.

use crate::ask::{Finding, Precision, Scenario};

/// Only autocast leaves a choice.
pub(crate) fn check(scenario: &Scenario, findings: &mut Vec<Finding>) {
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
