//! What an architecture can be trained for.

use crate::ask::{EvaluationKind, Finding, Framework, Loss, Scenario, Task};
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
