//! Inputs that the kernels of hybrids do not take.

use crate::ask::{Finding, Precision, Scenario, message};
use crate::model::Architecture;

/// Refuses inputs that the kernels of the gated delta rule do not take.
pub(crate) fn check_delta_rule(scenario: &Scenario, _: &Architecture, findings: &mut Vec<Finding>) {
    if scenario.computes_in_fp32() {
        findings.push(
            Finding::error("precision", message!(hybrid::delta_rule_float32))
                .with_fix("precision", Precision::AmpBf16.name()),
        );
    }
}
