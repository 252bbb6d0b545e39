//! The loss in chunks, or of logits as they are: where the model's own can be replaced.

use crate::ask::{AutocastStyle, Finding, Loss, MasterWeights, Program, Scenario, Task};
use crate::model::{Architecture, DecoderConfig};

/// The loss of a run: an evaluation has the model's own.
pub(crate) fn resolve(scenario: &Scenario) -> Loss {
    let chunks = scenario.loss == Loss::Chunked;
    if chunks && scenario.program == Program::Evaluation {
        Loss::Labels
    } else {
        scenario.loss
    }
}

/// Whether the model's logits are its head's result for the hidden states, and its loss is theirs.
fn is_plain(config: &DecoderConfig) -> bool {
    let balanced = |experts: &crate::model::Experts| experts.balanced;
    config.family.plain_logits
        && !config.final_softcap
        && !config.experts.as_ref().is_some_and(balanced)
}

/// Refuses a loss in chunks or of logits as they are where it is not estimated.
pub(crate) fn check(
    scenario: &Scenario,
    architecture: &Architecture,
    task: Task,
    findings: &mut Vec<Finding>,
) {
    let chunks = scenario.loss == Loss::Chunked;
    if !matches!(resolve(scenario), Loss::Chunked | Loss::Uncast) {
        return;
    }
    let plain = matches!(architecture, Architecture::Decoder(config) if is_plain(config));
    let reason = if !plain || task != Task::CausalLm {
        Some((
            "is estimated for decoders whose logits are the head's result, as it is, only",
            "只支持 logits 直接由输出层给出的解码器",
        ))
    } else if scenario.program != Program::Training {
        Some(("is one of training", "只用于训练"))
    } else if chunks
        && (scenario.autocast_style == AutocastStyle::Accelerate
            || scenario.optimizer.master_weights != MasterWeights::None)
    {
        Some((
            "is not estimated around the wrapped models of accelerate, DeepSpeed and Megatron yet",
            "暂不支持 accelerate、DeepSpeed 或 Megatron 包装的模型",
        ))
    } else {
        None
    };
    if let Some((english, chinese)) = reason {
        findings.push(
            Finding::error(
                "loss",
                format!(
                    "A loss {} {english}.",
                    if chunks {
                        "in chunks"
                    } else {
                        "of logits as they are"
                    }
                ),
                format!(
                    "{}的损失{chinese}。",
                    if chunks {
                        "分块计算"
                    } else {
                        "不转换 logits"
                    }
                ),
            )
            .with_fix("loss", Loss::Labels.name()),
        );
    }
}
