//! Ranks that share a model's parameters, gradients and optimizer states, with what they keep on
//! the host.

use super::offload;
use crate::ask::{
    DataParallelKind, Finding, MasterWeights, Message, OffloadDevice, OptimizerName, Precision,
    Program, QuantizationType, Scenario, Severity, limits, message,
};
use serde_json::Value;

/// Refuses what is not estimated or does not exist, and says what the estimate stands for.
pub(crate) fn check(scenario: &Scenario, findings: &mut Vec<Finding>) {
    let dp = scenario.parallelism.dp;
    if dp.kind == DataParallelKind::None {
        return;
    }
    limits::check("parallelism.dp.stage", dp.stage, &(1..=3), findings);
    limits::check(
        "parallelism.dp.reduce_bucket_size",
        dp.reduce_bucket_size,
        &(1..=limits::TENSOR_BYTES / 8),
        findings,
    );
    check_size(scenario, findings);
    let mut refuse = |key: &str, why: Message, fix: Value| {
        findings.push(Finding::error(key, why).with_fix(key, fix));
    };
    let of_deepspeed = dp.kind == DataParallelKind::DeepSpeedZero;
    if !dp.offloads() {
        let (key, fix) = if of_deepspeed {
            ("parallelism.dp.offload_optimizer", Value::from("cpu"))
        } else {
            ("parallelism.dp.cpu_offload", true.into())
        };
        refuse(key, message!(parallelism::without_offload), fix);
    }
    if of_deepspeed && dp.offload_param == OffloadDevice::Cpu && dp.stage < 3 {
        refuse(
            "parallelism.dp.offload_param",
            message!(parallelism::parameters_before_stage_3),
            OffloadDevice::None.name().into(),
        );
    }
    check_settings(scenario, &mut refuse);
    let sixteen_bit = match scenario.precision {
        Precision::AmpBf16 => Some(Precision::Bf16),
        Precision::AmpFp16 => Some(Precision::Fp16),
        Precision::Fp32 | Precision::Bf16 | Precision::Fp16 => None,
    };
    if let Some(precision) = sixteen_bit.filter(|_| of_deepspeed) {
        refuse(
            "precision",
            message!(parallelism::autocast),
            precision.name().into(),
        );
    }
    let refused = findings
        .iter()
        .any(|finding| finding.severity == Severity::Error);
    let sharded = !of_deepspeed || dp.stage == 3;
    if !refused && sharded && scenario.program == Program::Training {
        findings.push(parameters_stay());
    }
}

/// Refuses settings beside which FSDP and DeepSpeed offload nothing.
fn check_settings(scenario: &Scenario, refuse: &mut impl FnMut(&str, Message, Value)) {
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
    offload::check_step(scenario, refuse);
    if scenario.optimizer.master_weights != MasterWeights::None {
        refuse(
            "optimizer.master_weights",
            message!(parallelism::own_master_weights),
            MasterWeights::None.name().into(),
        );
    }
    if scenario.quantization.kind != QuantizationType::None {
        refuse(
            "quantization.type",
            message!(parallelism::quantized),
            QuantizationType::None.name().into(),
        );
    }
}

/// Each GPU is a rank.
fn check_size(scenario: &Scenario, findings: &mut Vec<Finding>) {
    let hardware = &scenario.hardware;
    let gpus = hardware.gpus_per_node.saturating_mul(hardware.nodes);
    let Some(size) = scenario
        .parallelism
        .dp
        .size
        .filter(|&size| size.max(1) != gpus)
    else {
        return;
    };
    let finding = Finding::error(
        "parallelism.dp.size",
        message!(parallelism::size, size, gpus),
    );
    findings.push(finding.with_fix("parallelism.dp.size", gpus));
}

/// What the device's side is, as long as it does not know shards of parameters.
fn parameters_stay() -> Finding {
    Finding::warning(
        "parallelism.dp.kind",
        message!(parallelism::parameters_stay),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
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
                r#""kind": "deepspeed_zero""#,
                "",
                "parallelism.dp.offload_optimizer",
            ),
            (r#""kind": "fsdp1""#, "", "parallelism.dp.cpu_offload"),
            (
                &format!(r#"{zero}, "offload_param": "cpu""#),
                "",
                "parallelism.dp.offload_param",
            ),
            (
                &format!(r#"{zero}, "stage": 4"#),
                "",
                "parallelism.dp.stage",
            ),
            (&format!(r#"{zero}, "size": 8"#), "", "parallelism.dp.size"),
            (zero, r#", "precision": "amp_bf16""#, "precision"),
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

    #[test]
    fn where_parameters_are_sharded_the_device_comes_with_a_warning() {
        let warned = |dp: &str| {
            let scenario = format!(r#"{{"precision": "bf16", "parallelism": {{"dp": {{{dp}}}}}}}"#);
            found(&scenario, Severity::Warning)
        };
        let zero = r#""kind": "deepspeed_zero", "offload_optimizer": "cpu""#;
        assert!(warned(zero).is_empty());
        for dp in [
            &format!(r#"{zero}, "stage": 3"#),
            r#""kind": "fsdp1", "cpu_offload": true"#,
        ] {
            assert_eq!(warned(dp), ["parallelism.dp.kind"]);
        }
    }
}
