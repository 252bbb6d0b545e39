//! Megatron-Core.

use crate::ask::{
    DataParallelKind, ExpertParallelKind, Finding, Framework, RecomputeGranularity, Scenario,
    TensorParallelKind, message,
};

/// Refuses what only Megatron-Core has with the models of others.
pub(super) fn check(scenario: &Scenario, findings: &mut Vec<Finding>) {
    let kind = scenario.parallelism.dp.kind;
    if scenario.framework == Framework::Torch215MegatronCore016 {
        if kind != DataParallelKind::Megatron {
            let finding = Finding::error(
                "parallelism.dp.kind",
                message!(parallelism::own_data_parallelism),
            );
            findings
                .push(finding.with_fix("parallelism.dp.kind", DataParallelKind::Megatron.name()));
        }
        return;
    }
    let mut only = |key: &str, is_asked: bool, repair: serde_json::Value| {
        if is_asked {
            let finding = Finding::error(
                key,
                message!(
                    parallelism::of_megatron_core,
                    key,
                    framework = Framework::Torch215MegatronCore016.name()
                ),
            );
            findings.push(finding.with_fix(key, repair));
        }
    };
    only(
        "parallelism.dp.kind",
        kind == DataParallelKind::Megatron,
        DataParallelKind::None.name().into(),
    );
    only(
        "parallelism.tp.kind",
        scenario.parallelism.tp.kind == TensorParallelKind::Megatron,
        TensorParallelKind::DTensor.name().into(),
    );
    only(
        "parallelism.ep.kind",
        scenario.parallelism.ep.kind == ExpertParallelKind::Megatron,
        ExpertParallelKind::AllToAll.name().into(),
    );
    only(
        "recompute.granularity",
        scenario.recompute.granularity != RecomputeGranularity::None,
        RecomputeGranularity::None.name().into(),
    );
    only(
        "attention_softmax_in_fp32",
        scenario.attention_softmax_in_fp32,
        false.into(),
    );
}
