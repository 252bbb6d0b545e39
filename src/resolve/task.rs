//! What an architecture can be trained for.

use crate::ask::{
    ActivationCheckpointing, Attention, EvaluationKind, Finding, Framework, Loss, Scenario, Task,
};
use crate::model::Architecture;

/// The tasks that are estimated for an architecture, its own first.
pub(crate) fn tasks(architecture: &Architecture, framework: Framework) -> Vec<Task> {
    let family = architecture.whole_family();
    family.map_or_else(|| vec![Task::CausalLm], |family| family.tasks_in(framework))
}

/// The task of a run: the one that is asked for, or the architecture's own.
pub(crate) fn resolve(
    scenario: &Scenario,
    architecture: &Architecture,
    findings: &mut Vec<Finding>,
) -> Task {
    let tasks = tasks(architecture, scenario.framework);
    let own = tasks[0];
    let Some(asked) = scenario.task else {
        return own;
    };
    if tasks.contains(&asked) {
        return asked;
    }
    let names = tasks.iter().map(|task| task.name()).collect::<Vec<_>>();
    let (asked, names) = (asked.name(), names.join(", "));
    findings.push(
        Finding::error(
            "task",
            format!("The task {asked} is not supported for this model; supported: {names}."),
            format!("该模型暂不支持任务 {asked}；目前支持：{names}。"),
        )
        .with_fix("task", own.name()),
    );
    own
}

/// What is not estimated of answers in a text.
pub(crate) fn check_answers(
    scenario: &Scenario,
    architecture: &Architecture,
    task: Task,
    findings: &mut Vec<Finding>,
) {
    if task != Task::QuestionAnswering {
        return;
    }
    let labels = architecture.labels();
    if labels != 2 {
        findings.push(
            Finding::error(
                "model_overrides.num_labels",
                format!(
                    "An answer has a beginning and an end: num_labels is {labels} and must be 2."
                ),
                format!("答案由起点和终点标出：num_labels 为 {labels}，必须为 2。"),
            )
            .with_fix("model_overrides.num_labels", 2),
        );
    }
    if scenario.loss == Loss::MeanLogits {
        findings.push(
            Finding::error(
                "loss",
                "The mean of logits is not estimated for question_answering, which has two of them; the loss from labels is.",
                "question_answering 有两组 logits，暂不支持以其均值为损失；支持由标签计算的损失。",
            )
            .with_fix("loss", Loss::Labels.name()),
        );
    }
    if scenario.asked_evaluation().kind != EvaluationKind::None {
        findings.push(
            Finding::error(
                "evaluation.kind",
                "Evaluation is not estimated for question_answering yet.",
                "暂不支持估算 question_answering 的评估。",
            )
            .with_fix("evaluation.kind", EvaluationKind::None.name()),
        );
    }
}

/// Options that an encoder-decoder excludes.
pub(crate) fn check_encoder_decoder(
    scenario: &Scenario,
    architecture: &Architecture,
    findings: &mut Vec<Finding>,
) {
    if !architecture.is_encoder_decoder() {
        return;
    }
    if matches!(architecture, Architecture::T5(_))
        && scenario.framework != Framework::Torch215Transformers523
        && scenario.attention != Attention::Eager
    {
        findings.push(
            Finding::error(
                "attention",
                "T5 has no sdpa before transformers 5; attention must be eager.",
                "transformers 5 之前的 T5 不支持 sdpa；attention 必须为 eager。",
            )
            .with_fix("attention", Attention::Eager.name()),
        );
    }
    let bart = matches!(architecture, Architecture::Bart(_));
    if bart && scenario.attention == Attention::FlashAttention2 {
        findings.push(
            Finding::error(
                "attention",
                "flash_attention_2 of BART and Whisper is not supported yet; sdpa uses the same kernel where it can.",
                "暂不支持 BART 和 Whisper 的 flash_attention_2；sdpa 会在可能时使用同样的内核。",
            )
            .with_fix("attention", Attention::Sdpa.name()),
        );
    }
    let before_5 = scenario.framework != Framework::Torch215Transformers523;
    let reentrant = scenario.activation_checkpointing == ActivationCheckpointing::FullReentrant;
    let of_tokens = matches!(architecture, Architecture::Bart(c) if c.recordings.is_none());
    if of_tokens && before_5 && reentrant && scenario.lora.is_some() {
        findings.push(
            Finding::error(
                "activation_checkpointing",
                "BART before transformers 5 cannot train adapters under re-entrant checkpointing: nothing makes its \
                 encoder's input require a gradient, and backward fails. Use full.",
                "transformers 5 之前的 BART 无法在可重入激活重计算下训练适配器：编码器的输入不会获得梯度，反向传播会失败。请使用 full。",
            )
            .with_fix("activation_checkpointing", ActivationCheckpointing::Full.name()),
        );
    }
}
