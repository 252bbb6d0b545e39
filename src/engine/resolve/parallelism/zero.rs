//! DeepSpeed's `ZeRO`.

use crate::ask::{
    DataParallelKind, Finding, MasterWeights, Message, OffloadDevice, Precision, Scenario,
    TENSOR_BYTES, check_range, message,
};

/// The most elements that a buffer or a threshold can be set to.
const ELEMENTS: u64 = TENSOR_BYTES / 8;

/// Refuses what DeepSpeed does not do.
pub(super) fn check(scenario: &Scenario, findings: &mut Vec<Finding>) {
    let dp = scenario.parallelism.dp;
    if dp.kind != DataParallelKind::DeepSpeedZero {
        return;
    }
    let zero = dp.zero;
    check_range("parallelism.dp.stage", zero.stage, &(1..=3), findings);
    for (key, elements, least) in [
        (
            "parallelism.dp.reduce_bucket_size",
            zero.reduce_bucket_size,
            1,
        ),
        (
            "parallelism.dp.allgather_bucket_size",
            zero.allgather_bucket_size,
            1,
        ),
        ("parallelism.dp.sub_group_size", zero.sub_group_size, 1),
        (
            "parallelism.dp.stage3_max_live_parameters",
            zero.stage3_max_live_parameters,
            0,
        ),
        (
            "parallelism.dp.stage3_max_reuse_distance",
            zero.stage3_max_reuse_distance,
            0,
        ),
        (
            "parallelism.dp.stage3_prefetch_bucket_size",
            zero.stage3_prefetch_bucket_size,
            0,
        ),
        (
            "parallelism.dp.stage3_param_persistence_threshold",
            zero.stage3_param_persistence_threshold,
            0,
        ),
        (
            "parallelism.dp.zero_hpz_partition_size",
            zero.zero_hpz_partition_size,
            1,
        ),
    ] {
        check_range(key, elements, &(least..=ELEMENTS), findings);
    }
    let mut refuse = |key: &str, why: Message, fix: serde_json::Value| {
        findings.push(Finding::error(key, why).with_fix(key, fix));
    };
    if zero.offload_param == OffloadDevice::Cpu && zero.stage < 3 {
        refuse(
            "parallelism.dp.offload_param",
            message!(parallelism::parameters_before_stage_3),
            OffloadDevice::None.name().into(),
        );
    }
    if scenario.optimizer.master_weights != MasterWeights::None {
        refuse(
            "optimizer.master_weights",
            message!(parallelism::own_master_weights),
            MasterWeights::None.name().into(),
        );
    }
    let sixteen_bit = match scenario.precision {
        Precision::AmpBf16 => Some(Precision::Bf16),
        Precision::AmpFp16 => Some(Precision::Fp16),
        Precision::Fp32 | Precision::Bf16 | Precision::Fp16 => None,
    };
    if let Some(precision) = sixteen_bit {
        refuse(
            "precision",
            message!(parallelism::autocast),
            precision.name().into(),
        );
    } else if zero
        .bf16
        .is_some_and(|is_on| is_on != (scenario.precision == Precision::Bf16))
    {
        refuse(
            "parallelism.dp.bf16",
            message!(parallelism::bf16),
            serde_json::Value::Null,
        );
    }
}
