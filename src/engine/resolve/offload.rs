//! Tensors that live on the host instead of the device, and settings that this excludes.

use crate::ask::{Finding, Message, OptimizerName, Precision, Program, Scenario, message};
use serde_json::Value;

/// Refuses what `CPUOffloadOptimizer` cannot do.
pub(crate) fn check(scenario: &Scenario, findings: &mut Vec<Finding>) {
    let offload = scenario.offload;
    let nothing = !offload.optimizer_states && !offload.gradients;
    if nothing || scenario.program != Program::Training {
        return;
    }
    let mut refuse = |key: &str, why: Message, fix: Value| {
        findings.push(Finding::error(key, why).with_fix(key, fix));
    };
    if !offload.optimizer_states {
        refuse(
            "offload.optimizer_states",
            message!(offload::gradients_alone),
            true.into(),
        );
    }
    if !matches!(
        scenario.optimizer.name,
        OptimizerName::AdamW | OptimizerName::Adam | OptimizerName::Sgd
    ) {
        refuse(
            "optimizer.name",
            message!(offload::optimizer),
            OptimizerName::AdamW.name().into(),
        );
    }
    check_step(scenario, &mut refuse);
    if scenario.clip_grad_norm {
        refuse("clip_grad_norm", message!(offload::clipped), false.into());
    }
    if scenario.precision == Precision::AmpFp16 {
        refuse(
            "precision",
            message!(offload::scaled),
            Precision::AmpBf16.name().into(),
        );
    }
    if !scenario.zero_grad_set_to_none {
        refuse(
            "zero_grad_set_to_none",
            message!(offload::dropped),
            true.into(),
        );
    }
    if offload.gradients && scenario.gradient_accumulation_steps > 1 {
        refuse(
            "offload.gradients",
            message!(offload::accumulated),
            false.into(),
        );
    }
}

/// Refuses a step in backward of an optimizer that is offloaded.
pub(crate) fn check_step(scenario: &Scenario, refuse: &mut impl FnMut(&str, Message, Value)) {
    if scenario.optimizer.in_backward {
        refuse(
            "optimizer.in_backward",
            message!(offload::steps_inside_backward),
            false.into(),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resolve::resolve;

    fn refused(scenario: &str) -> Vec<String> {
        let scenario: Scenario = serde_json::from_str(scenario).expect("a scenario");
        let findings = resolve(&scenario).findings.into_iter();
        let errors = findings.filter(|f| f.severity == crate::ask::Severity::Error);
        errors.map(|finding| finding.key).collect()
    }

    #[test]
    fn what_an_offloaded_optimizer_cannot_do_is_refused_with_its_key() {
        for (with, key) in [
            (r#""clip_grad_norm": true"#, "clip_grad_norm"),
            (r#""precision": "amp_fp16""#, "precision"),
            (
                r#""optimizer": {"name": "lion", "impl": "for_loop"}"#,
                "optimizer.name",
            ),
            (
                r#""optimizer": {"in_backward": true}"#,
                "optimizer.in_backward",
            ),
            (r#""zero_grad_set_to_none": false"#, "zero_grad_set_to_none"),
            (r#""gradient_accumulation_steps": 2"#, "offload.gradients"),
        ] {
            let offload = r#""offload": {"optimizer_states": true, "gradients": true}"#;
            assert_eq!(refused(&format!("{{{offload}, {with}}}")), [key], "{with}");
        }
        assert_eq!(
            refused(r#"{"offload": {"gradients": true}}"#),
            ["offload.optimizer_states"]
        );
    }
}
