//! What kernels of hybrids do not take.

use crate::ask::{Finding, Precision, Scenario};
use crate::model::Architecture;

/// What the kernels of the gated delta rule do not take.
pub(crate) fn check_delta_rule(scenario: &Scenario, _: &Architecture, findings: &mut Vec<Finding>) {
    if scenario.precision == Precision::Fp32 {
        findings.push(
            Finding::error(
                "precision",
                "flash-linear-attention's kernels of the delta rule take no float32; use bf16 or amp_bf16.",
                "flash-linear-attention 的 delta 规则内核不支持 float32；请使用 bf16 或 amp_bf16。",
            )
            .with_fix("precision", Precision::AmpBf16.name()),
        );
    }
}
