//! What is not estimated of models that read images among their tokens.

use crate::ask::{ActivationCheckpointing, Attention, EvaluationKind, Finding, Scenario, Task};
use crate::model::{Architecture, ImageConfig, ImageKind};

/// What is not estimated yet.
pub(crate) fn check(
    scenario: &Scenario,
    architecture: &Architecture,
    _: Task,
    findings: &mut Vec<Finding>,
) {
    if let Some(images) = architecture.images() {
        check_options(scenario, images, findings);
    }
}

fn check_options(scenario: &Scenario, config: &ImageConfig, findings: &mut Vec<Finding>) {
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
    let every = scenario.checkpoint_every.max(1);
    let again = |layers: &[u64]| layers.iter().any(|layer| layer.is_multiple_of(every));
    if let ImageConfig::Crossed(crossed) = config
        && reentrant
        && scenario.images > 0
        && again(&crossed.crossing)
    {
        findings.push(
            Finding::error(
                "activation_checkpointing",
                "Layers of Llama 3.2 Vision that attend to images get them as keyword arguments, so that re-entrant checkpoints of these layers go back through what made them once for each of them, with which PyTorch fails. Checkpoints that are not re-entrant do not.",
                "Llama 3.2 Vision 的交叉注意力层以关键字参数接收图像特征：对这些层做可重入的检查点会多次反向传播同一计算图，PyTorch 会报错；请使用不可重入的检查点。",
            )
            .with_fix("activation_checkpointing", ActivationCheckpointing::Full.name()),
        );
    }
    let evaluation = scenario.asked_evaluation();
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
