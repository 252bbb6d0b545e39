//! Activations that wait on the host, and layers that are checkpointed operation by operation.

use crate::ask::{
    ActivationCheckpointing, ActivationOffloadKind, DataParallelKind, Finding, Framework, Message,
    ObjectiveKind, Program, SavedOperation, Scenario, closest, message,
};
use crate::model::{Architecture, SavedOperations};
use serde_json::Value;

pub(super) const CHECKPOINTING: &str = "activation_checkpointing";
const KIND: &str = "activation_offload.kind";

/// Whether layers are checkpointed operation by operation.
fn by_operations(scenario: &Scenario) -> bool {
    scenario.activation_checkpointing == ActivationCheckpointing::Operations
}

/// The checkpointing mode of layers: selective checkpointing, which keeps the results of operations, counts as full
/// checkpointing that does not re-enter.
pub(crate) fn checkpointing(scenario: &Scenario) -> ActivationCheckpointing {
    match scenario.activation_checkpointing {
        ActivationCheckpointing::Operations => ActivationCheckpointing::Full,
        ActivationCheckpointing::Full if trl_reenters(scenario) => {
            ActivationCheckpointing::FullReentrant
        }
        other => other,
    }
}

/// Whether a trainer of TRL has checkpoints re-enter, whatever is asked for: with adapters under `ZeRO` 3
/// (`use_reentrant` in `__init__` of each but ORPO's and CPO's, trl 1.16).
fn trl_reenters(scenario: &Scenario) -> bool {
    let kind = scenario.objective.kind;
    let leaves_it = matches!(
        kind,
        ObjectiveKind::None | ObjectiveKind::Orpo | ObjectiveKind::Cpo
    );
    !leaves_it && scenario.lora.is_some() && scenario.parallelism.dp.partitions_parameters()
}

/// Operations whose results checkpointed layers keep.
pub(crate) fn saved_operations(scenario: &Scenario) -> Option<SavedOperations> {
    let selective = &scenario.selective;
    let has =
        |operation: SavedOperation| selective.save.iter().any(|name| name == operation.name());
    by_operations(scenario).then(|| SavedOperations {
        mm: has(SavedOperation::Mm),
        attention: has(SavedOperation::Attention),
        every_second_mm: selective.every_second_mm,
    })
}

/// Refuses checkpointing that does not exist for the model or is not estimated.
pub(crate) fn check(scenario: &Scenario, architecture: &Architecture, findings: &mut Vec<Finding>) {
    check_operations(scenario, findings);
    check_offload(scenario, architecture, findings);
}

/// Whether the model is on one rank as a whole, whatever shards its parameters.
fn is_whole(scenario: &Scenario) -> bool {
    let parallelism = &scenario.parallelism;
    let sizes = [
        parallelism.tp.size,
        parallelism.pp.size,
        parallelism.cp.size,
        parallelism.ep.size,
    ];
    let megatron = parallelism.dp.kind == DataParallelKind::Megatron;
    !megatron && sizes.into_iter().all(|size| size < 2)
}

fn check_operations(scenario: &Scenario, findings: &mut Vec<Finding>) {
    if !by_operations(scenario) {
        return;
    }
    let all = || SavedOperation::ALL.iter().map(|operation| operation.name());
    for name in &scenario.selective.save {
        if SavedOperation::from_name(name).is_some() {
            continue;
        }
        let names = all().collect::<Vec<_>>().join(", ");
        let repaired: Vec<Value> = (scenario.selective.save.iter())
            .filter_map(|other| match SavedOperation::from_name(other) {
                Some(known) => Some(known.name().into()),
                None => closest(other, all()).map(Value::from),
            })
            .collect();
        findings.push(
            Finding::error(
                "selective.save",
                message!(activations::unknown, name, names),
            )
            .with_fix("selective.save", repaired),
        );
        return;
    }
    let recent = scenario.framework == Framework::Torch215Transformers523;
    if !(recent && is_whole(scenario)) {
        let why = message!(activations::operations);
        let full = ActivationCheckpointing::Full.name();
        findings.push(Finding::error(CHECKPOINTING, why).with_fix(CHECKPOINTING, full));
    }
}

fn check_offload(scenario: &Scenario, architecture: &Architecture, findings: &mut Vec<Finding>) {
    let kind = scenario.activation_offload.kind;
    if kind == ActivationOffloadKind::None || scenario.program != Program::Training {
        return;
    }
    let none = ActivationOffloadKind::None.name();
    let mut refuse = |key: &str, why: Message, fix: Value| {
        findings.push(Finding::error(key, why).with_fix(key, fix));
    };
    let dp = scenario.parallelism.dp.kind;
    let alone = matches!(dp, DataParallelKind::None | DataParallelKind::Ddp);
    if !(alone && is_whole(scenario)) {
        return refuse(KIND, message!(activations::ranks), none.into());
    }
    if scenario.offload.activations {
        refuse(
            "offload.activations",
            message!(activations::twice),
            false.into(),
        );
    }
    let several = matches!(architecture, Architecture::Decoder(config) if config.family.style.returns_several);
    if kind == ActivationOffloadKind::LayerInputs && several {
        refuse(KIND, message!(activations::several), none.into());
    }
    let reentrant = ActivationCheckpointing::FullReentrant;
    if kind == ActivationOffloadKind::LayerInputs && scenario.activation_checkpointing != reentrant
    {
        let why = message!(activations::inputs);
        refuse(CHECKPOINTING, why, reentrant.name().into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn trainers_of_trl_have_checkpoints_beside_adapters_re_enter_under_zero_3() {
        let asked = |kind: &str, stage: u8, adapters: bool| {
            let mut asked = json!({"model": "qwen2.5-0.5b", "activation_checkpointing": "full", "objective": {"kind": kind},
                "parallelism": {"dp": {"kind": "deepspeed_zero", "stage": stage, "size": 2}}});
            if adapters {
                asked["lora"] = json!({"r": 8, "target_modules": ["q_proj"]});
            }
            let scenario: Scenario = serde_json::from_value(asked).expect("a scenario");
            checkpointing(&scenario) == ActivationCheckpointing::FullReentrant
        };
        for (kind, reenters) in [
            ("sft", true),
            ("grpo", true),
            ("orpo", false),
            ("cpo", false),
            ("none", false),
        ] {
            assert_eq!(asked(kind, 3, true), reenters, "{kind}");
            assert!(!asked(kind, 2, true) && !asked(kind, 3, false), "{kind}");
        }
    }
}
