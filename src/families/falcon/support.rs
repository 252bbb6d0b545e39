//! Attention that Falcon does not have here.

use crate::ask::{Attention, Finding, Scenario, message};
use crate::model::Architecture;

/// Refuses the flash-attn package.
pub(super) fn check(scenario: &Scenario, architecture: &Architecture, findings: &mut Vec<Finding>) {
    if scenario.attention != Attention::FlashAttention2 {
        return;
    }
    let biased = matches!(architecture, Architecture::Decoder(config) if config.alibi);
    let why = if biased {
        message!(falcon::flash_biases)
    } else {
        message!(falcon::flash)
    };
    findings.push(Finding::error("attention", why).with_fix("attention", Attention::Sdpa.name()));
}
