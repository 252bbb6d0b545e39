//! States that FSDP and DeepSpeed keep on the host.

use crate::ask::{
    DataParallelKind, Finding, MasterWeights, Message, OptimizerName, QuantizationType, Scenario,
    message,
};
use crate::resolve::offload::check_step;
use serde_json::Value;

/// Refuses settings beside which FSDP and DeepSpeed offload nothing.
pub(super) fn check(scenario: &Scenario, findings: &mut Vec<Finding>) {
    if !scenario.parallelism.dp.offloads() {
        return;
    }
    let mut refuse = |key: &str, why: Message, fix: Value| {
        findings.push(Finding::error(key, why).with_fix(key, fix));
    };
    for (key, asked) in [
        ("offload.gradients", scenario.offload.gradients),
        (
            "offload.optimizer_states",
            scenario.offload.optimizer_states,
        ),
    ] {
        if asked {
            refuse(key, message!(parallelism::own_offload), false.into());
        }
    }
    if !matches!(
        scenario.optimizer.name,
        OptimizerName::AdamW | OptimizerName::Adam
    ) {
        refuse(
            "optimizer.name",
            message!(parallelism::optimizer),
            OptimizerName::AdamW.name().into(),
        );
    }
    check_step(scenario, &mut refuse);
    if scenario.optimizer.master_weights != MasterWeights::None {
        refuse(
            "optimizer.master_weights",
            message!(parallelism::own_master_weights),
            MasterWeights::None.name().into(),
        );
    }
    let quantized = scenario.quantization.kind != QuantizationType::None;
    if quantized && scenario.parallelism.dp.kind != DataParallelKind::Fsdp1 {
        refuse(
            "quantization.type",
            message!(parallelism::quantized),
            QuantizationType::None.name().into(),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::Severity;
    use crate::resolve::resolve;

    fn found(scenario: &str, severity: Severity) -> Vec<String> {
        let scenario: Scenario = serde_json::from_str(scenario).expect("a scenario");
        let findings = resolve(&scenario).findings.into_iter();
        let of_severity = findings.filter(|finding| finding.severity == severity);
        of_severity.map(|finding| finding.key).collect()
    }

    #[test]
    fn what_sharding_libraries_cannot_do_is_refused_with_its_key() {
        let zero = r#""kind": "deepspeed_zero", "offload_optimizer": "cpu""#;
        let fsdp = r#""kind": "fsdp2", "cpu_offload": true"#;
        for (dp, with, key) in [
            (
                format!(r#"{zero}, "offload_param": "cpu""#).as_str(),
                "",
                "parallelism.dp.offload_param",
            ),
            (
                format!(r#"{zero}, "stage": 4"#).as_str(),
                "",
                "parallelism.dp.stage",
            ),
            (
                format!(r#"{zero}, "size": 8"#).as_str(),
                r#", "hardware": {"gpus_per_node": 2}"#,
                "parallelism.dp.size",
            ),
            (zero, r#", "precision": "amp_bf16""#, "precision"),
            (
                r#""kind": "deepspeed_zero", "stage": 1"#,
                r#", "precision": "bf16", "optimizer": {"master_weights": "deepspeed"}"#,
                "optimizer.master_weights",
            ),
            (
                fsdp,
                r#", "optimizer": {"name": "lion", "impl": "for_loop"}"#,
                "optimizer.name",
            ),
            (
                fsdp,
                r#", "optimizer": {"in_backward": true}"#,
                "optimizer.in_backward",
            ),
            (
                fsdp,
                r#", "offload": {"optimizer_states": true}"#,
                "offload.optimizer_states",
            ),
        ] {
            let scenario = format!(r#"{{"parallelism": {{"dp": {{{dp}}}}}{with}}}"#);
            assert_eq!(found(&scenario, Severity::Error), [key], "{scenario}");
        }
    }
}
