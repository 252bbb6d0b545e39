//! What is not estimated of models that read images among their tokens.

use super::{
    ActivationCheckpointing, Attention, EvaluationKind, Finding, ImageConfig, ImageKind, Scenario,
    evaluation, training,
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
    let reentrant = scenario.activation_checkpointing == ActivationCheckpointing::FullReentrant;
    if kind == ImageKind::Mllama && reentrant && scenario.images > 0 {
        findings.push(
            Finding::error(
                "activation_checkpointing",
                "Layers of Llama 3.2 Vision that attend to images get them as keyword arguments, so that re-entrant checkpoints go back through the tower once for each of them, where PyTorch fails unless the tower and what follows it are frozen; that is not estimated. Checkpoints that are not re-entrant are.",
                "Llama 3.2 Vision 的交叉注意力层以关键字参数接收图像特征：可重入的检查点会为每一层各反向传播一次图像编码器，除非图像编码器及其投影层被冻结，否则 PyTorch 会报错；暂不支持估算，请使用不可重入的检查点。",
            )
            .with_fix("activation_checkpointing", ActivationCheckpointing::Full.name()),
        );
    }
    let evaluation = evaluation::resolve(scenario);
    if kind == ImageKind::SmolVlm && evaluation.kind == EvaluationKind::Trainer {
        findings.push(
            Finding::error(
                "evaluation.kind",
                "What the Trainer keeps of SmolVLM 2, whose output holds all that is seen of images, is not estimated yet; its loss is.",
                "SmolVLM 2 的输出包含图像编码器的全部结果，暂不支持估算 Trainer 保留的预测；可以估算损失。",
            )
            .with_fix("evaluation.kind", EvaluationKind::Loss.name()),
        );
    }
    if evaluation.kind == EvaluationKind::Generate && evaluation.num_beams > 1 {
        findings.push(
            Finding::error(
                "evaluation.num_beams",
                "Generation with beams by models that see images is not estimated yet; without it is.",
                "暂不支持估算图文模型使用束搜索的生成；不使用束搜索时支持。",
            )
            .with_fix("evaluation.num_beams", 1),
        );
    }
}
