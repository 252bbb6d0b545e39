//! What lives on the host instead of the device, and what that excludes.

use crate::ask::{Finding, OptimizerName, Precision, Program, Scenario};
use serde_json::Value;

/// Refuses what `CPUOffloadOptimizer` cannot do.
pub(crate) fn check(scenario: &Scenario, findings: &mut Vec<Finding>) {
    let offload = scenario.offload;
    let nothing = !offload.optimizer_states && !offload.gradients;
    if nothing || scenario.program != Program::Training {
        return;
    }
    let mut refuse = |key: &str, english: &str, chinese: &str, fix: Value| {
        findings.push(Finding::error(key, english, chinese).with_fix(key, fix));
    };
    if !offload.optimizer_states {
        refuse(
            "offload.optimizer_states",
            "Gradients are offloaded together with the optimizer states only.",
            "只有同时卸载优化器状态才能卸载梯度。",
            true.into(),
        );
    }
    if !matches!(
        scenario.optimizer.name,
        OptimizerName::AdamW | OptimizerName::Adam | OptimizerName::Sgd
    ) {
        refuse(
            "optimizer.name",
            "Offloading the optimizer is estimated for torch.optim's AdamW, Adam and SGD.",
            "优化器卸载目前支持 torch.optim 的 AdamW、Adam 和 SGD。",
            OptimizerName::AdamW.name().into(),
        );
    }
    check_step(scenario, &mut refuse);
    if scenario.clip_grad_norm {
        refuse(
            "clip_grad_norm",
            "CPUOffloadOptimizer copies gradients during backward, before they could be clipped.",
            "CPUOffloadOptimizer 在反向传播期间复制梯度，此时无法裁剪。",
            false.into(),
        );
    }
    if scenario.precision == Precision::AmpFp16 {
        refuse(
            "precision",
            "CPUOffloadOptimizer copies gradients during backward, before a gradient scaler could unscale them.",
            "CPUOffloadOptimizer 在反向传播期间复制梯度，梯度缩放器无法还原。",
            Precision::AmpBf16.name().into(),
        );
    }
    if !scenario.zero_grad_set_to_none {
        refuse(
            "zero_grad_set_to_none",
            "CPUOffloadOptimizer drops gradients in zero_grad.",
            "CPUOffloadOptimizer 的 zero_grad 会释放梯度。",
            true.into(),
        );
    }
    if offload.gradients && scenario.gradient_accumulation_steps > 1 {
        refuse(
            "offload.gradients",
            "Gradients that leave the device after each backward cannot be accumulated there.",
            "每次反向传播后即离开 GPU 的梯度无法累积。",
            false.into(),
        );
    }
}

/// Refuses a step in backward of an optimizer that is offloaded.
pub(crate) fn check_step(scenario: &Scenario, refuse: &mut impl FnMut(&str, &str, &str, Value)) {
    if scenario.optimizer.in_backward {
        refuse(
            "optimizer.in_backward",
            "An offloaded optimizer steps after backward, on the CPU.",
            "卸载的优化器在反向传播之后于 CPU 上更新。",
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
