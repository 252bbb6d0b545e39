//! What is not estimated of `ModernBERT`.

use crate::ask::{Attention, Finding, Framework, Scenario, Task};
use crate::model::Architecture;

/// What transformers 4 does otherwise.
pub(crate) fn check(
    scenario: &Scenario,
    architecture: &Architecture,
    task: Task,
    findings: &mut Vec<Finding>,
) {
    let Architecture::ModernBert(config) = architecture else {
        return;
    };
    if scenario.framework == Framework::Torch215Transformers523 {
        return;
    }
    if config.compiled {
        findings.push(
            Finding::error(
                "model_overrides.reference_compile",
                "transformers 4 compiles parts of ModernBERT where Triton is installed, and compiled graphs are not estimated; reference_compile must be false.",
                "transformers 4 在装有 Triton 时会编译 ModernBERT 的部分模块，而编译图暂不支持估算；reference_compile 必须为 false。",
            )
            .with_fix("model_overrides.reference_compile", false),
        );
    }
    if scenario.attention == Attention::FlashAttention2 {
        findings.push(
            Finding::error(
                "attention",
                "With flash_attention_2 transformers 4 removes the padding of ModernBERT's batches, which is not estimated; sdpa is.",
                "使用 flash_attention_2 时，transformers 4 会去除 ModernBERT 批次中的填充，暂不支持估算；支持 sdpa。",
            )
            .with_fix("attention", Attention::Sdpa.name()),
        );
    }
    let classifies = task == Task::SequenceClassification;
    if classifies && config.mean_pooling && !scenario.has_padding() {
        findings.push(
            Finding::error(
                "padding_mask",
                "transformers 4 needs a padding mask to take the mean of ModernBERT's tokens.",
                "transformers 4 需要填充掩码才能对 ModernBERT 的词元取平均。",
            )
            .with_fix("padding_mask", true),
        );
    }
}
