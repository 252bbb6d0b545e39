//! What can be asked but is not estimated yet. When the engine learns one of these, its entry
//! here goes.

use super::{Attention, Finding, Program, Scenario, Task};

/// Refuses what the engine does not know, since an answer without it would be for another run.
pub(super) fn check(scenario: &Scenario, findings: &mut Vec<Finding>) {
    if scenario.task != Task::CausalLm {
        let task = scenario.task.name();
        findings.push(
            Finding::error(
                "task",
                format!("The task {task} is not supported yet; supported is causal_lm."),
                format!("暂不支持任务 {task}；目前支持 causal_lm。"),
            )
            .with_fix("task", Task::CausalLm.name()),
        );
    }
    if scenario.attention == Attention::FlashAttention2 {
        findings.push(
            Finding::error(
                "attention",
                "The flash-attn package is not supported yet; PyTorch's sdpa uses the same kernel where it can.",
                "暂不支持 flash-attn 包；PyTorch 的 sdpa 会在可能时使用同样的内核。",
            )
            .with_fix("attention", Attention::Sdpa.name()),
        );
    }
    if scenario.program == Program::Evaluation {
        findings.push(
            Finding::error(
                "program",
                "Evaluation is not supported yet; supported are training and forward.",
                "暂不支持 evaluation；目前支持 training 和 forward。",
            )
            .with_fix("program", Program::Forward.name()),
        );
    }
}
