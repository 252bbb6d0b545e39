//! Tensor parallelism.

use super::beside::Beside;
use super::divides::{divides_experts, divides_modules};
use super::mesh::divisor;
use super::refusal::not_estimated;
use super::sizes::{Sizes, must_divide, undivided};
use super::steps;
use crate::ask::{
    Attention, DataParallelKind, EvaluationKind, Finding, Framework, Loss, MasterWeights, Message,
    ObjectiveKind, OptimizerImpl, OptimizerName, Plan, Precision, Program, QuantizationType,
    Scenario, Task, TensorParallelKind, message,
};
use crate::families::is_of_blocks;
use crate::model::{
    Architecture, DecoderConfig, LLAMA_PLAN, PLAIN_MLP_PLAN, TensorStyle, style_of,
};
use serde_json::Value;

/// The key of its ranks.
const SIZE: &str = "parallelism.tp.size";

/// Refuses what PyTorch's tensor parallelism cannot do with the rest of a scenario, and what of it is not
/// estimated.
pub(super) fn check(scenario: &Scenario, findings: &mut Vec<Finding>) {
    if !divides_modules(scenario) {
        return;
    }
    contradictions(scenario, findings);
    let asked = scenario.parallelism.tp;
    // accelerate, which runs plans of transformers, makes all parameters `DTensor`s beside FSDP2 (`_prepare_tp`), and
    // takes norms by meshes elsewhere (`_clip_grad_norm_dtensor_aware`, accelerate 1.15).
    let by_mesh = asked.plan == Plan::Transformers;
    if scenario.clip_grad_norm && !by_mesh && !has_distributed_norms(scenario) {
        // `torch._foreach_norm`, torch 2.15.
        let finding = Finding::error("clip_grad_norm", message!(parallelism::mixed_norms));
        findings.push(finding.with_fix("clip_grad_norm", false));
    }
    let sharded = scenario.parallelism.dp.kind == DataParallelKind::Fsdp2;
    if scenario.precision == Precision::AmpFp16 && !sharded && !has_distributed_norms(scenario) {
        // `torch._amp_foreach_non_finite_check_and_unscale_`, torch 2.15.
        let finding = Finding::error("precision", message!(parallelism::mixed_scales));
        findings.push(finding.with_fix("precision", Precision::AmpBf16.name()));
    }
    if !scenario.zero_grad_set_to_none && zeroes_together(scenario) {
        // `torch._foreach_zero_`, torch 2.15.
        let key = "zero_grad_set_to_none";
        let finding = Finding::error(key, message!(parallelism::mixed_zeros));
        findings.push(finding.with_fix(key, true));
    }
    let padded = scenario.has_padding();
    if asked.sequence_parallel && (scenario.attention != Attention::Sdpa || padded) {
        let (key, fix): (&str, Value) = if padded {
            ("padding_mask", false.into())
        } else {
            ("attention", Attention::Sdpa.name().into())
        };
        let finding = Finding::error(key, message!(parallelism::mask_of_a_part));
        findings.push(finding.with_fix(key, fix));
    }
    for Beside { key, is_asked, fix } in beside(scenario) {
        if is_asked {
            let what = message!(parallelism::tensor_beside, key);
            findings.push(not_estimated(key, &what, fix));
        }
    }
}

/// Whether all gradients are zeroed by one operation, those of divided modules and those of whole ones.
fn zeroes_together(scenario: &Scenario) -> bool {
    let alone = scenario.parallelism.dp.kind == DataParallelKind::None;
    let implementation = scenario.optimizer.implementation;
    let by_one = matches!(
        implementation,
        OptimizerImpl::Foreach | OptimizerImpl::Fused
    );
    scenario.program == Program::Training && alone && by_one && scenario.lora.is_none()
}

/// Whether all parameters are `DTensor`s, those of norms too.
fn has_distributed_norms(scenario: &Scenario) -> bool {
    let asked = scenario.parallelism.tp;
    asked.sequence_parallel && asked.shard_embeddings
}

/// Settings of tensor parallelism that exclude each other.
fn contradictions(scenario: &Scenario, findings: &mut Vec<Finding>) {
    let asked = scenario.parallelism.tp;
    let mut refuse = |key: &str, why: Message, fix: bool| {
        findings.push(Finding::error(key, why).with_fix(key, fix));
    };
    let divides = [
        ("parallelism.tp.sequence_parallel", asked.sequence_parallel),
        ("parallelism.tp.loss_parallel", asked.loss_parallel),
    ];
    if asked.plan == Plan::Transformers {
        for (key, is_asked) in divides {
            if is_asked {
                refuse(key, message!(parallelism::plan_of_transformers), false);
            }
        }
    }
    if !asked.shard_embeddings
        && (asked.plan == Plan::Transformers || divides.iter().any(|(_, is_asked)| *is_asked))
    {
        let why = message!(parallelism::embeddings_first);
        refuse("parallelism.tp.shard_embeddings", why, true);
    }
}

/// A task other than predicting the next token: the objective's, where a reward model asks for it.
fn other_task(scenario: &Scenario) -> Beside {
    let is_asked = scenario.task.is_some_and(|task| task != Task::CausalLm);
    if scenario.objective.kind == ObjectiveKind::Reward {
        return Beside::new(
            "objective.kind",
            is_asked,
            ObjectiveKind::None.name().into(),
        );
    }
    Beside::new("task", is_asked, Task::CausalLm.name().into())
}

/// Settings beside which divided modules or experts are not estimated.
pub(super) fn beside(scenario: &Scenario) -> Vec<Beside> {
    let dp = scenario.parallelism.dp.kind;
    let optimizer = &scenario.optimizer;
    vec![
        Beside::new(
            "framework",
            scenario.framework != Framework::Torch215Transformers523,
            Framework::Torch215Transformers523.name().into(),
        ),
        Beside::new(
            "parallelism.dp.kind",
            !matches!(dp, DataParallelKind::None | DataParallelKind::Fsdp2),
            DataParallelKind::Fsdp2.name().into(),
        ),
        other_task(scenario),
        Beside::new(
            "optimizer.name",
            !steps::is_estimated(scenario),
            OptimizerName::AdamW.name().into(),
        ),
        Beside::new("optimizer.in_backward", optimizer.in_backward, false.into()),
        Beside::new(
            "optimizer.master_weights",
            optimizer.master_weights != MasterWeights::None,
            MasterWeights::None.name().into(),
        ),
        Beside::new(
            "quantization.type",
            scenario.quantization.is_on(),
            QuantizationType::None.name().into(),
        ),
        Beside::new(
            "liger_kernel",
            !scenario.liger_kernel.is_empty(),
            Value::Array(Vec::new()),
        ),
        Beside::new(
            "loss",
            !matches!(scenario.loss, Loss::Labels | Loss::None),
            Loss::Labels.name().into(),
        ),
        Beside::new(
            "offload.gradients",
            scenario.offload.gradients,
            false.into(),
        ),
        Beside::new(
            "offload.optimizer_states",
            scenario.offload.optimizer_states,
            false.into(),
        ),
        Beside::new(
            "offload.activations",
            scenario.offload.activations,
            false.into(),
        ),
        Beside::new(
            "evaluation.kind",
            !matches!(
                scenario.evaluation.kind,
                EvaluationKind::None | EvaluationKind::Loss
            ),
            EvaluationKind::Loss.name().into(),
        ),
    ]
}

/// Refuses ranks that heads, sequence and Megatron-Core's MLP are not divided among. Vocabularies and, in PyTorch, MLPs need
/// not be whole: the last rank has fewer rows, and Megatron-Core pads vocabularies.
pub(super) fn check_model(
    scenario: &Scenario,
    architecture: &Architecture,
    sizes: &Sizes,
    findings: &mut Vec<Finding>,
) {
    let asked = scenario.parallelism.tp;
    if divides_modules(scenario) {
        let Some(config) = divided(scenario, architecture) else {
            let what = message!(parallelism::tensor_modules);
            findings.push(not_estimated(SIZE, &what, 1));
            return;
        };
        if !by_heads(config) {
            return;
        }
    }
    let mut whole = vec![
        (message!(parallelism::heads), sizes.heads),
        (
            message!(parallelism::key_value_heads),
            sizes.key_value_heads,
        ),
    ];
    if divides_experts(scenario)
        && let Some((things, count)) = undivided(asked.size, &whole)
    {
        let ranks = asked.size;
        let why = message!(
            parallelism::heads_beside_experts,
            key = SIZE,
            ranks,
            count,
            things
        );
        let fix = divisor(count, ranks);
        findings.push(Finding::error(SIZE, why).with_fix(SIZE, fix));
        return;
    }
    if asked.kind == TensorParallelKind::Megatron {
        whole.push((message!(parallelism::mlp_columns), sizes.intermediate));
    }
    if asked.sequence_parallel {
        let tokens = scenario.seq_len / scenario.parallelism.cp.size.max(1);
        whole.push((message!(parallelism::tokens), Some(tokens)));
    }
    must_divide(SIZE, asked.size, &whole, findings);
}

/// The decoder whose modules a scenario divides, if that is estimated.
fn divided<'a>(scenario: &Scenario, architecture: &'a Architecture) -> Option<&'a DecoderConfig> {
    let Architecture::Decoder(config) = architecture else {
        return None;
    };
    let (asked, family) = (scenario.parallelism.tp, config.family);
    let plan = family.tensor_plan;
    let usual = [LLAMA_PLAN, PLAIN_MLP_PLAN];
    let plain = config.images.is_none() && is_of_blocks(family) && !plan.is_empty();
    let planned = asked.plan == Plan::Transformers || usual.contains(&plan);
    // A norm before attention and one before the MLP, and none besides.
    let [before_attention, after_attention, before_mlp, after_mlp] = family.names.norms;
    let alternate = before_attention.is_some()
        && before_mlp.is_some()
        && after_attention.or(after_mlp).is_none()
        && !config.parallel_residual;
    (plain && planned && (!asked.sequence_parallel || alternate)).then_some(config)
}

/// Whether ranks have some of the heads each.
fn by_heads(config: &DecoderConfig) -> bool {
    let style = style_of(config.family.tensor_plan, "layers.0.self_attn.k_proj");
    style == Some(TensorStyle::Colwise)
}
