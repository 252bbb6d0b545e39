//! Attention that Falcon does not have.

use crate::ask::{Attention, Finding, Scenario, message};
use crate::model::Architecture;

/// Refuses the flash-attn package where scores have biases.
pub(super) fn check(scenario: &Scenario, architecture: &Architecture, findings: &mut Vec<Finding>) {
    let biased = matches!(architecture, Architecture::Decoder(config) if config.alibi);
    if biased && scenario.attention == Attention::FlashAttention2 {
        let why = message!(falcon::flash_biases);
        findings
            .push(Finding::error("attention", why).with_fix("attention", Attention::Sdpa.name()));
    }
}
