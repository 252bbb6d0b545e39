//! What is not estimated of models that read images among their tokens.

use super::{
    Attention, EvaluationKind, Finding, ImageConfig, ImageKind, Scenario, evaluation, training,
};

/// What is not estimated yet.
pub(super) fn check(scenario: &Scenario, config: &ImageConfig, findings: &mut Vec<Finding>) {
    let kind = config.kind();
    let grouped = matches!(kind, ImageKind::Gemma3 | ImageKind::PaliGemma);
    if grouped && training::padding_mask(scenario) {
        findings.push(
            Finding::error(
                "padding_mask",
                "Of Gemma 3 with images and PaliGemma batches without padding are estimated only.",
                "目前只支持估算不含填充的 Gemma 3 和 PaliGemma 图文批次。",
            )
            .with_fix("padding_mask", false),
        );
    }
    if scenario.attention == Attention::FlashAttention2 && !matches!(config, ImageConfig::Packed(_))
    {
        findings.push(
            Finding::error(
                "attention",
                "Of models that see images Qwen-VL alone is estimated with flash_attention_2; sdpa uses the same kernel where it can.",
                "图文模型中目前只支持估算 Qwen-VL 的 flash_attention_2；sdpa 会在可能时使用同样的内核。",
            )
            .with_fix("attention", Attention::Sdpa.name()),
        );
    }
    let evaluation = evaluation::resolve(scenario).kind;
    if kind == ImageKind::SmolVlm && evaluation == EvaluationKind::Trainer {
        findings.push(
            Finding::error(
                "evaluation.kind",
                "What the Trainer keeps of SmolVLM 2, whose output holds all that is seen of images, is not estimated yet; its loss is.",
                "SmolVLM 2 的输出包含图像编码器的全部结果，暂不支持估算 Trainer 保留的预测；可以估算损失。",
            )
            .with_fix("evaluation.kind", EvaluationKind::Loss.name()),
        );
    }
    if evaluation == EvaluationKind::Generate {
        findings.push(
            Finding::error(
                "evaluation.kind",
                "Generation by models that see images is not estimated yet.",
                "暂不支持估算图文模型的生成。",
            )
            .with_fix("evaluation.kind", EvaluationKind::Loss.name()),
        );
    }
}
