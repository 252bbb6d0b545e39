//! Tasks of an architecture.

use crate::ask::{EvaluationKind, Finding, Framework, Loss, Scenario, Task, message};
use crate::model::Architecture;

/// The tasks that are estimated for an architecture, its own first.
pub(crate) fn tasks(architecture: &Architecture, framework: Framework) -> Vec<Task> {
    let family = architecture.whole_family();
    family.map_or_else(|| vec![Task::CausalLm], |family| family.tasks_in(framework))
}

/// The task of a run: the scenario's, or the architecture's own.
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
        Finding::error("task", message!(task::not_supported, asked, names))
            .with_fix("task", own.name()),
    );
    own
}

/// Refuses cases of answers in a text that are not estimated.
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
                message!(task::two_labels, labels),
            )
            .with_fix("model_overrides.num_labels", 2),
        );
    }
    if scenario.loss == Loss::MeanLogits {
        findings.push(
            Finding::error("loss", message!(task::mean_of_two_logits))
                .with_fix("loss", Loss::Labels.name()),
        );
    }
    if scenario.asked_evaluation().kind != EvaluationKind::None {
        findings.push(
            Finding::error("evaluation.kind", message!(task::no_evaluation))
                .with_fix("evaluation.kind", EvaluationKind::None.name()),
        );
    }
}
