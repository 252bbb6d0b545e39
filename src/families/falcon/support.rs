//! Attention that Falcon does not have here.

use crate::ask::{Attention, Finding, Scenario};
use crate::model::Architecture;

/// Refuses the flash-attn package.
pub(super) fn check(scenario: &Scenario, architecture: &Architecture, findings: &mut Vec<Finding>) {
    if scenario.attention != Attention::FlashAttention2 {
        return;
    }
    let biased = matches!(architecture, Architecture::Decoder(config) if config.alibi);
    let (message, message_zh) = if biased {
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
