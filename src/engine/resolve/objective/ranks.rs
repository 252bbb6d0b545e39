//! Objectives of TRL's trainers on several GPUs: where accelerate prepares model and reference.

use super::KIND;
use crate::ask::{
    ActivationCheckpointing, ContextParallel, DataParallelKind, ExpertParallel, Finding, Generator,
    Message, ObjectiveKind, OffloadDevice, PipelineParallel, Plan, Scenario, TensorParallel,
    message,
};
use crate::resolve::activations::{CHECKPOINTING, checkpointing};
use crate::resolve::parallelism::divides_experts;
use serde_json::Value;

/// Whether accelerate prepares trainers for these ranks (of DDP, FSDP and DeepSpeed's `ZeRO`), or transformers divides
/// experts among them when it loads a model, which accelerate leaves as it is.
fn sees_other_data(scenario: &Scenario) -> bool {
    let all = &scenario.parallelism;
    all.tp == TensorParallel::default()
        && all.pp == PipelineParallel::default()
        && all.cp == ContextParallel::default()
        && (all.ep == ExpertParallel::default() || divides_experts(scenario))
        && matches!(
            all.dp.kind,
            DataParallelKind::None
                | DataParallelKind::Ddp
                | DataParallelKind::Fsdp1
                | DataParallelKind::Fsdp2
                | DataParallelKind::DeepSpeedZero
        )
}

/// Refuses settings of an objective that are not estimated on several GPUs.
pub(super) fn check(scenario: &Scenario, findings: &mut Vec<Finding>) {
    if scenario.parallelism.is_none() {
        return;
    }
    let (objective, dp) = (&scenario.objective, &scenario.parallelism.dp);
    let mut refuse = |refused: bool, key: &str, why: Message, (at, fix): (&str, Value)| {
        if refused {
            findings.push(Finding::error(key, why).with_fix(at, fix));
        }
    };
    let none = || (KIND, Value::from(ObjectiveKind::None.name()));
    refuse(
        !sees_other_data(scenario),
        "parallelism",
        message!(objective::data_parallel),
        none(),
    );
    refuse(
        dp.fsdp.plan == Plan::Transformers && !divides_experts(scenario),
        "parallelism.dp.plan",
        message!(objective::planned),
        ("parallelism.dp.plan", Plan::Usual.name().into()),
    );
    let sharded = matches!(dp.kind, DataParallelKind::Fsdp1 | DataParallelKind::Fsdp2);
    refuse(
        objective.has_teacher() && sharded,
        KIND,
        message!(objective::teacher_on_host),
        none(),
    );
    let by_engine = dp.partitions_parameters();
    let generation = "objective.generation";
    refuse(
        objective.generates() && (sharded || by_engine),
        generation,
        message!(objective::generates_on_ranks),
        (generation, Generator::None.name().into()),
    );
    let stage = "parallelism.dp.stage";
    let offload = "parallelism.dp.offload_param";
    refuse(
        objective.has_teacher() && by_engine && dp.zero.offload_param == OffloadDevice::Cpu,
        offload,
        message!(objective::teacher_offloaded),
        (offload, OffloadDevice::None.name().into()),
    );
    let reentrant = checkpointing(scenario) == ActivationCheckpointing::FullReentrant;
    refuse(
        objective.has_teacher() && by_engine && reentrant,
        CHECKPOINTING,
        message!(objective::teacher_recomputed),
        (CHECKPOINTING, ActivationCheckpointing::None.name().into()),
    );
    let precomputes = "objective.precompute_ref_log_probs";
    let compares = matches!(objective.kind, ObjectiveKind::Dpo | ObjectiveKind::Kto);
    refuse(
        dp.kind == DataParallelKind::Fsdp1
            && scenario.lora.is_none()
            && objective.precompute_ref_log_probs
            && compares,
        precomputes,
        message!(objective::precomputed_by_fsdp1),
        (precomputes, false.into()),
    );
    refuse(
        divides_experts(scenario) && objective.precompute_ref_log_probs && compares,
        precomputes,
        message!(objective::precomputed_divided),
        (precomputes, false.into()),
    );
    refuse(
        by_engine && scenario.lora.is_some() && objective.has_reference(),
        stage,
        message!(objective::adapters_off_in_engine),
        (stage, 2.into()),
    );
    let dora = "lora.use_dora";
    refuse(
        by_engine && scenario.lora.as_ref().is_some_and(|lora| lora.use_dora),
        dora,
        message!(objective::usual_loop),
        (dora, false.into()),
    );
    refuse(
        by_engine && objective.precompute_ref_log_probs && compares,
        precomputes,
        message!(objective::precomputed_by_engine),
        (precomputes, false.into()),
    );
}

#[cfg(test)]
mod tests {
    use crate::ask::Scenario;
    use crate::resolve::resolve;
    use serde_json::{Value, json};

    /// The keys of the settings that are refused with an objective on ranks.
    fn refused(objective: &Value, parallelism: &Value, other: &Value) -> Vec<String> {
        let mut asked = json!({"model": "qwen2.5-0.5b", "seq_len": 64, "micro_batch_size": 2, "precision": "bf16",
            "objective": objective, "parallelism": parallelism});
        for (key, value) in other.as_object().expect("an object") {
            asked[key] = value.clone();
        }
        let scenario: Scenario = serde_json::from_value(asked).expect("a scenario");
        let findings = resolve(&scenario).findings.into_iter();
        findings.map(|finding| finding.key).collect()
    }

    #[test]
    fn ranks_that_see_other_data_train_with_every_objective_and_distill_where_the_teacher_is_on_the_device()
     {
        for dp in [
            json!({"kind": "ddp", "size": 4}),
            json!({"kind": "fsdp1", "size": 4}),
            json!({"kind": "fsdp2", "size": 4}),
            json!({"kind": "deepspeed_zero", "stage": 2, "size": 4}),
            json!({"kind": "deepspeed_zero", "stage": 3, "size": 4}),
        ] {
            for kind in ["sft", "dpo", "kto", "orpo", "cpo", "grpo"] {
                let found = refused(&json!({"kind": kind}), &json!({"dp": dp}), &json!({}));
                assert_eq!(found, [""; 0], "{kind} {dp}");
                let evaluated = json!({"evaluation": {"kind": "trainer"}});
                let found = refused(&json!({"kind": kind}), &json!({"dp": dp}), &evaluated);
                assert_eq!(found, [""; 0], "{kind} {dp}, evaluated");
            }
            let sharded = matches!(dp["kind"].as_str(), Some("fsdp1" | "fsdp2"));
            let expected: &[&str] = if sharded { &["objective.kind"] } else { &[] };
            let distillation = json!({"kind": "distillation"});
            let found = refused(&distillation, &json!({"dp": dp}), &json!({}));
            assert_eq!(found, expected, "{dp}");
        }
    }

    #[test]
    fn ranks_that_divide_experts_train_with_objectives_that_hash_no_parameters() {
        let alone =
            json!({"dp": {"kind": "fsdp2", "size": 4, "plan": "transformers"}, "ep": {"size": 4}});
        let mut with_modules = alone.clone();
        with_modules["tp"] = json!({"size": 2, "plan": "transformers"});
        let found = |objective: &Value, ranks: &Value| {
            refused(objective, ranks, &json!({"model": "olmoe-1b-7b"}))
        };
        for kind in ["sft", "dpo", "kto", "orpo", "cpo", "grpo"] {
            let objective = json!({"kind": kind});
            assert_eq!(found(&objective, &alone), [""; 0], "{kind}");
            assert!(found(&objective, &with_modules).contains(&"parallelism".to_owned()));
        }
        let precomputes = json!({"kind": "dpo", "precompute_ref_log_probs": true});
        let key = "objective.precompute_ref_log_probs";
        assert_eq!(found(&precomputes, &alone), [key]);
    }

    #[test]
    fn what_is_not_estimated_on_ranks_is_refused_with_its_key() {
        let dpo = json!({"kind": "dpo"});
        for (objective, parallelism, other, key) in [
            (
                &dpo,
                json!({"tp": {"size": 2, "plan": "transformers"}}),
                json!({}),
                "parallelism",
            ),
            (
                &dpo,
                json!({"dp": {"kind": "fsdp2", "size": 2, "plan": "transformers"}}),
                json!({}),
                "parallelism.dp.plan",
            ),
            (
                &json!({"kind": "distillation"}),
                json!({"dp": {"kind": "deepspeed_zero", "stage": 3, "size": 2,
                    "offload_optimizer": "cpu", "offload_param": "cpu"}}),
                json!({}),
                "parallelism.dp.offload_param",
            ),
            (
                &json!({"kind": "distillation"}),
                json!({"dp": {"kind": "deepspeed_zero", "stage": 3, "size": 2}}),
                json!({"activation_checkpointing": "full", "lora": {"r": 8, "target_modules": ["q_proj"]}}),
                "activation_checkpointing",
            ),
            (
                &json!({"kind": "distillation", "teacher_dtype": "bf16"}),
                json!({"dp": {"kind": "deepspeed_zero", "stage": 2, "size": 2}}),
                json!({"precision": "fp32"}),
                "objective.teacher_dtype",
            ),
            (
                &json!({"kind": "grpo", "generation": "model"}),
                json!({"dp": {"kind": "deepspeed_zero", "stage": 3, "size": 2}}),
                json!({}),
                "objective.generation",
            ),
            (
                &json!({"kind": "grpo", "generation": "vllm"}),
                json!({"dp": {"kind": "fsdp2", "size": 2}}),
                json!({}),
                "objective.generation",
            ),
            (
                &json!({"kind": "dpo", "precompute_ref_log_probs": true}),
                json!({"dp": {"kind": "deepspeed_zero", "stage": 3, "size": 2}}),
                json!({}),
                "objective.precompute_ref_log_probs",
            ),
            (
                &json!({"kind": "kto", "precompute_ref_log_probs": true}),
                json!({"dp": {"kind": "fsdp1", "size": 2}}),
                json!({}),
                "objective.precompute_ref_log_probs",
            ),
            (
                &dpo,
                json!({"dp": {"kind": "deepspeed_zero", "stage": 3, "size": 2}}),
                json!({"lora": {"r": 8, "target_modules": ["q_proj"]}}),
                "parallelism.dp.stage",
            ),
            (
                &json!({"kind": "sft"}),
                json!({"dp": {"kind": "deepspeed_zero", "stage": 3, "size": 2}}),
                json!({"lora": {"r": 8, "target_modules": ["q_proj"], "use_dora": true}}),
                "lora.use_dora",
            ),
        ] {
            let found = refused(objective, &parallelism, &other);
            assert_eq!(found, [key], "{parallelism} {other}");
        }
    }
}
