//! Implementations of attention that a family does not have.

use super::{Architecture, Attention, DecoderType, Finding, Framework, Scenario};

/// Refuses what transformers refuses, or what is not estimated yet.
pub(super) fn check(scenario: &Scenario, architecture: &Architecture, findings: &mut Vec<Finding>) {
    let Architecture::Decoder(config) = architecture else {
        return;
    };
    let recent = Framework::Torch215Transformers523;
    if config.model_type == DecoderType::Mamba && scenario.framework != recent {
        findings.push(
            Finding::error(
                "framework",
                "Mamba is estimated as transformers 5 writes it; older versions are not supported yet.",
                "Mamba 按 transformers 5 的实现估算；暂不支持更早的版本。",
            )
            .with_fix("framework", recent.name()),
        );
    }
    match (config.model_type, scenario.attention) {
        (DecoderType::Bloom, Attention::FlashAttention2) => findings.push(
            Finding::error(
                "attention",
                "transformers writes BLOOM's attention in one way only; attention must be eager.",
                "transformers 中的 BLOOM 只有一种注意力实现；attention 必须为 eager。",
            )
            .with_fix("attention", Attention::Eager.name()),
        ),
        (DecoderType::Falcon, Attention::FlashAttention2) => {
            let (message, message_zh) = if config.alibi {
                (
                    "The flash-attn package takes no biases on scores, which tell this model's positions.",
                    "flash-attn 包不接受注意力分数偏置，而该模型用它表示位置。",
                )
            } else {
                (
                    "The flash-attn package is not estimated for Falcon yet; sdpa is.",
                    "暂不支持估算 Falcon 使用 flash-attn 包的情形；支持 sdpa。",
                )
            };
            findings.push(
                Finding::error("attention", message, message_zh)
                    .with_fix("attention", Attention::Sdpa.name()),
            );
        }
        _ => {}
    }
}
