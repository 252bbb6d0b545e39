//! Cases of BART and its relatives that are not estimated.

use crate::ask::{ActivationCheckpointing, Attention, Finding, Scenario, Task, message};
use crate::model::Architecture;

/// Refuses settings that the models of texts do not support.
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
    let before_5 = !scenario.framework.has_transformers_5();
    let reentrant = scenario.activation_checkpointing == ActivationCheckpointing::FullReentrant;
    if before_5 && reentrant && scenario.lora.is_some() {
        findings.push(
            Finding::error(
                "activation_checkpointing",
                message!(bart::reentrant_adapters),
            )
            .with_fix(
                "activation_checkpointing",
                ActivationCheckpointing::Full.name(),
            ),
        );
    }
}

fn check_attention(scenario: &Scenario, findings: &mut Vec<Finding>) {
    if scenario.attention == Attention::FlashAttention2 {
        findings.push(
            Finding::error("attention", message!(bart::no_flash))
                .with_fix("attention", Attention::Sdpa.name()),
        );
    }
}

/// Refuses settings that Whisper does not take or that are not estimated yet.
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
                message!(bart::target_too_long, most, target),
            )
            .with_fix("target_seq_len", most),
        );
    }
}
