//! What is not estimated of BART and its kin.

use crate::ask::{ActivationCheckpointing, Attention, Finding, Framework, Scenario, Task};
use crate::model::Architecture;

/// Refuses what those of texts do not do.
pub(crate) fn check(
    scenario: &Scenario,
    architecture: &Architecture,
    _: Task,
    findings: &mut Vec<Finding>,
) {
    if !architecture.is_encoder_decoder() {
        return;
    }
    check_attention(scenario, findings);
    let before_5 = scenario.framework != Framework::Torch215Transformers523;
    let reentrant = scenario.activation_checkpointing == ActivationCheckpointing::FullReentrant;
    if before_5 && reentrant && scenario.lora.is_some() {
        findings.push(
            Finding::error(
                "activation_checkpointing",
                "BART before transformers 5 cannot train adapters under re-entrant checkpointing: nothing makes its \
                 encoder's input require a gradient, and backward fails. Use full.",
                "transformers 5 之前的 BART 无法在可重入激活重计算下训练适配器：编码器的输入不会获得梯度，反向传播会失败。请使用 full。",
            )
            .with_fix("activation_checkpointing", ActivationCheckpointing::Full.name()),
        );
    }
}

fn check_attention(scenario: &Scenario, findings: &mut Vec<Finding>) {
    if scenario.attention == Attention::FlashAttention2 {
        findings.push(
            Finding::error(
                "attention",
                "flash_attention_2 of BART and Whisper is not supported yet; sdpa uses the same kernel where it can.",
                "暂不支持 BART 和 Whisper 的 flash_attention_2；sdpa 会在可能时使用同样的内核。",
            )
            .with_fix("attention", Attention::Sdpa.name()),
        );
    }
}

/// Refuses what Whisper does not take or what is not estimated yet.
pub(crate) fn check_whisper(
    scenario: &Scenario,
    architecture: &Architecture,
    _: Task,
    findings: &mut Vec<Finding>,
) {
    check_attention(scenario, findings);
    let Architecture::Bart(config) = architecture else {
        return;
    };
    let (target, most) = (
        scenario.target_seq_len.unwrap_or(scenario.seq_len),
        config.position_rows,
    );
    if target > most {
        findings.push(
            Finding::error(
                "target_seq_len",
                format!(
                    "Whisper's decoder takes at most {most} tokens; target_seq_len is {target}."
                ),
                format!("Whisper 的解码器最多接受 {most} 个词元；target_seq_len 为 {target}。"),
            )
            .with_fix("target_seq_len", most),
        );
    }
}
