//! Megatron-Core.

use super::beside::Beside;
use super::refusal::not_estimated;
use super::sizes::must_divide;
use crate::ask::{
    ActivationCheckpointing, Attention, DataParallelKind, EvaluationKind, ExpertParallelKind,
    Finding, Framework, Loss, MasterWeights, Message, OptimizerImpl, OptimizerName,
    PipelineSchedule, Precision, Program, QuantizationType, RecomputeGranularity, Scenario, Task,
    TensorParallelKind, message,
};
use crate::families::is_of_blocks;
use crate::model::{
    Activation, Architecture, DecoderConfig, ExpertForm, HeadNorm, NormKind, Parts, Style,
    Transformers,
};
use serde_json::Value;

/// The module names that are computed again without `TransformerEngine`.
const RECOMPUTED: [&str; 3] = ["core_attn", "mlp", "moe"];

/// Refuses what Megatron-Core refuses, and what of its training is not estimated. The scenario is as it was asked.
pub(super) fn refuse(scenario: &Scenario, findings: &mut Vec<Finding>) {
    let of_megatron = scenario.framework == Framework::Torch215MegatronCore016;
    if !of_megatron || scenario.parallelism.dp.kind != DataParallelKind::Megatron {
        return;
    }
    contradictions(scenario, findings);
    for Beside { key, is_asked, fix } in beside(scenario) {
        if is_asked {
            let what = message!(parallelism::megatron_beside, key);
            findings.push(not_estimated(key, &what, fix));
        }
    }
}

/// Settings that Megatron-Core itself refuses, or treats in another way.
fn contradictions(scenario: &Scenario, findings: &mut Vec<Finding>) {
    let asked = &scenario.parallelism;
    let mut refuse = |key: &str, is_asked: bool, why: Message, fix: Value| {
        if is_asked {
            findings.push(Finding::error(key, why).with_fix(key, fix));
        }
    };
    let mut own = |key: &str, is_asked: bool, fix: &str| {
        refuse(
            key,
            is_asked,
            message!(parallelism::megatron_own, key),
            fix.into(),
        );
    };
    own(
        "parallelism.tp.kind",
        asked.tp.size > 1 && asked.tp.kind != TensorParallelKind::Megatron,
        TensorParallelKind::Megatron.name(),
    );
    own(
        "parallelism.ep.kind",
        asked.ep.size > 1 && asked.ep.kind != ExpertParallelKind::Megatron,
        ExpertParallelKind::Megatron.name(),
    );
    let schedules = [
        PipelineSchedule::OneForwardOneBackward,
        PipelineSchedule::Interleaved,
    ];
    own(
        "parallelism.pp.schedule",
        asked.pp.size > 1 && !schedules.contains(&asked.pp.schedule),
        PipelineSchedule::OneForwardOneBackward.name(),
    );
    refuse(
        "parallelism.pp.overlap_p2p",
        asked.pp.size > 1
            && asked.pp.overlap_p2p
            && asked.pp.schedule == PipelineSchedule::OneForwardOneBackward,
        message!(parallelism::megatron_overlap),
        false.into(),
    );
    refuse(
        "gradient_accumulation_steps",
        scenario.gradient_accumulation_steps > 1,
        message!(parallelism::megatron_micro_batches),
        1.into(),
    );
    let recompute = &scenario.recompute;
    let other = (recompute.modules.iter()).find(|name| !RECOMPUTED.contains(&name.as_str()));
    if recompute.granularity == RecomputeGranularity::Selective
        && let Some(module) = other
    {
        refuse(
            "recompute.modules",
            true,
            message!(parallelism::megatron_recompute, module),
            Value::Array(vec![RECOMPUTED[0].into()]),
        );
    }
}

/// Settings beside which Megatron-Core's training is not estimated.
fn beside(scenario: &Scenario) -> Vec<Beside> {
    let (optimizer, offload) = (&scenario.optimizer, &scenario.offload);
    let none = Value::Null;
    let training = scenario.program == Program::Training;
    vec![
        Beside::new(
            "parallelism.cp.size",
            scenario.parallelism.cp.size > 1,
            1.into(),
        ),
        Beside::new(
            "task",
            scenario.task.is_some_and(|task| task != Task::CausalLm),
            Task::CausalLm.name().into(),
        ),
        Beside::new(
            "precision",
            !matches!(scenario.precision, Precision::Fp32 | Precision::Bf16),
            Precision::Bf16.name().into(),
        ),
        Beside::new(
            "attention",
            scenario.attention != Attention::Eager,
            Attention::Eager.name().into(),
        ),
        Beside::new(
            "optimizer.name",
            !matches!(optimizer.name, OptimizerName::Adam | OptimizerName::AdamW),
            OptimizerName::AdamW.name().into(),
        ),
        Beside::new(
            "optimizer.impl",
            !matches!(
                optimizer.implementation,
                OptimizerImpl::Fused | OptimizerImpl::Foreach
            ),
            OptimizerImpl::Fused.name().into(),
        ),
        Beside::new("optimizer.amsgrad", optimizer.amsgrad, false.into()),
        Beside::new("optimizer.in_backward", optimizer.in_backward, false.into()),
        Beside::new(
            "optimizer.master_weights",
            optimizer.master_weights != MasterWeights::None,
            MasterWeights::None.name().into(),
        ),
        Beside::new(
            "activation_checkpointing",
            scenario.activation_checkpointing != ActivationCheckpointing::None,
            ActivationCheckpointing::None.name().into(),
        ),
        Beside::new("lora", scenario.lora.is_some(), none.clone()),
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
            "frozen",
            !scenario.frozen.is_empty(),
            Value::Array(Vec::new()),
        ),
        Beside::new(
            "loss",
            scenario.loss != Loss::Labels,
            Loss::Labels.name().into(),
        ),
        Beside::new("padding_mask", scenario.has_padding(), false.into()),
        Beside::new("keep_outputs", scenario.keep_outputs, false.into()),
        Beside::new("offload.gradients", offload.gradients, false.into()),
        Beside::new(
            "offload.optimizer_states",
            offload.optimizer_states,
            false.into(),
        ),
        Beside::new("offload.activations", offload.activations, false.into()),
        Beside::new("program", !training, Program::Training.name().into()),
        Beside::new(
            "evaluation.kind",
            training && scenario.evaluation.kind != EvaluationKind::None,
            EvaluationKind::None.name().into(),
        ),
        Beside::new(
            "dataset.length_mean",
            scenario.dataset.length_mean.is_some(),
            none,
        ),
    ]
}

/// Refuses models that Megatron-Core's layers do not make, and ranks that experts are not divided among.
pub(super) fn check_model(
    scenario: &Scenario,
    architecture: &Architecture,
    findings: &mut Vec<Finding>,
) {
    const KEY: &str = "framework";
    let asked = &scenario.parallelism;
    if asked.dp.kind != DataParallelKind::Megatron {
        return;
    }
    let usual = Framework::Torch215Transformers523.name();
    let config = match architecture {
        Architecture::Decoder(config) if is_made(config) => config,
        _ => {
            let what = message!(parallelism::megatron_modules);
            findings.push(not_estimated(KEY, &what, usual));
            return;
        }
    };
    let window = config
        .sliding_window
        .filter(|_| config.windowed.contains(&true));
    if window.is_some_and(|window| window < scenario.seq_len) {
        let what = message!(parallelism::megatron_window);
        findings.push(not_estimated(KEY, &what, usual));
    }
    let Some(experts) = &config.experts else {
        return;
    };
    if asked.tp.size > 1 && !asked.tp.sequence_parallel {
        let key = "parallelism.tp.sequence_parallel";
        let finding = Finding::error(key, message!(parallelism::megatron_mixture));
        findings.push(finding.with_fix(key, true));
    }
    let columns = [(
        message!(parallelism::mlp_columns),
        Some(experts.intermediate_size),
    )];
    must_divide("parallelism.tp.size", asked.tp.size, &columns, findings);
}

/// Whether a model is made of what `get_gpt_layer_local_spec` gives without a bias: a norm before attention and
/// one before the MLP, which is gated, or experts in its place in all layers.
fn is_made(config: &DecoderConfig) -> bool {
    let (style, parts) = config.put_together(Transformers::V5);
    let parts = Parts {
        head_norm: match parts.head_norm {
            HeadNorm::Rows(NormKind::Root) => HeadNorm::None,
            other => other,
        },
        ..parts
    };
    let around = Style {
        masks: Style::LLAMA.masks,
        only_needed_masks: Style::LLAMA.only_needed_masks,
        masks_in_4: Style::LLAMA.masks_in_4,
        masking_in_4: Style::LLAMA.masking_in_4,
        ..style
    };
    let [before_attention, after_attention, before_mlp, after_mlp] = config.family.names.norms;
    let alternate = before_attention.is_some()
        && before_mlp.is_some()
        && after_attention.or(after_mlp).is_none();
    let biases = config.attention_bias || config.qkv_bias || config.mlp_bias || config.head_bias;
    let odd = [
        config.parallel_residual,
        config.post_norms,
        config.alibi,
        config.norm_after,
        config.attention_softcap,
        config.final_softcap,
        config.clips_heads,
        config.scales_embedding,
        config.images.is_some(),
        config.latent.is_some(),
        config.gemma_layers.is_some(),
        config.altup.is_some(),
        config.kept_keys.is_some(),
        config.state_space.is_some(),
        !config.mixers.is_empty(),
        config.unturned.contains(&true),
        config.embedding_size != config.hidden_size,
        config.rotary_dim != config.head_dim,
    ];
    let experts = config.experts.as_ref().is_none_or(|experts| {
        let layers = usize::try_from(config.num_hidden_layers).unwrap_or(usize::MAX);
        experts.form == ExpertForm::Gated
            && experts.shared_intermediate_size.is_none()
            && experts.latent_size.is_none()
            && (0..layers).all(|layer| experts.is_sparse(layer))
    });
    is_of_blocks(config.family)
        && parts == Parts::LLAMA
        && around == Style::LLAMA
        && config.activation == Activation::Silu
        && alternate
        && !biases
        && !odd.contains(&true)
        && experts
}

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
