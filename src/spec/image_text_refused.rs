//! What is not estimated of models that read images among their tokens.

use super::{
    ActivationCheckpointing, Attention, EvaluationKind, Finding, ImageConfig, ImageKind, Scenario,
    evaluation,
};

/// What is not estimated yet.
pub(super) fn check(scenario: &Scenario, config: &ImageConfig, findings: &mut Vec<Finding>) {
    let kind = config.kind();
    if scenario.attention == Attention::FlashAttention2 && kind == ImageKind::Mllama {
        findings.push(
            Finding::error(
                "attention",
                "Llama 3.2 Vision's masks say which tokens see which images, which the flash-attn package does not take; transformers refuses it.",
                "Llama 3.2 Vision 的掩码规定了哪些词元能看到哪些图像，flash-attn 包不支持这种掩码，transformers 会拒绝。",
            )
            .with_fix("attention", Attention::Sdpa.name()),
        );
    }
    let grouped = matches!(kind, ImageKind::Gemma3 | ImageKind::PaliGemma);
    if scenario.attention == Attention::FlashAttention2 && grouped && scenario.images > 0 {
        findings.push(
            Finding::warning(
                "attention",
                "With the flash-attn package transformers 5.23 hides later tokens from those of an image, too, which this model was trained to let see each other.",
                "使用 flash-attn 包时，transformers 5.23 会让图像词元也看不到其后的词元，而该模型训练时同一图像的词元可以互相看到。",
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
