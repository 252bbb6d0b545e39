//! The dtype of the weights: the precision's own, or another under autocast.

use crate::ask::{Finding, Message, Scenario, message};

/// Only autocast leaves a choice.
pub(crate) fn check(scenario: &Scenario, findings: &mut Vec<Finding>) {
    let Some(weights) = scenario.weights else {
        return;
    };
    let refuse =
        |why: Message| Finding::error("weights", why).with_fix("weights", serde_json::Value::Null);
    let autocast = scenario.precision.autocasts();
    let (precision, name) = (scenario.precision.name(), weights.name());
    if scenario.quantization.is_on() {
        findings.push(refuse(message!(weights::quantized, name)));
    } else if !autocast {
        findings.push(refuse(message!(weights::without_autocast, name, precision)));
    }
}
