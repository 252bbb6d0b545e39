//! Implementations of attention that a family does not have.

use super::attention_masks;
use crate::ask::{ActivationCheckpointing, Attention, Finding, Scenario, message};
use crate::model::{Architecture, FlashRefusal};
use std::borrow::Cow;

/// Refuses attention that transformers refuses or that is not estimated yet.
pub(crate) fn check(scenario: &Scenario, architecture: &Architecture, findings: &mut Vec<Finding>) {
    attention_masks::check(scenario, architecture, findings);
    let Some(family) = architecture.family() else {
        return;
    };
    if let Some(check) = family.attention_support.check {
        check(scenario, architecture, findings);
    }
    if let Some(refusal) = family.attention_support.flash_refused
        && scenario.attention == Attention::FlashAttention2
    {
        findings.push(why_no_flash(refusal));
    }
    if let Some(name) = family.without_checkpointing {
        check_checkpoints(scenario, name, findings);
    }
}

/// The scenario with attention that is estimated in the place of the flash-attn package, if only this program does
/// not have that for the family.
pub(super) fn stand_in<'a>(
    scenario: Cow<'a, Scenario>,
    architecture: &Architecture,
    findings: &mut Vec<Finding>,
) -> Cow<'a, Scenario> {
    let family = architecture.family();
    let instead = family.and_then(|family| family.attention_support.flash_stand_in);
    let biased = matches!(architecture, Architecture::Decoder(config) if config.alibi);
    let Some(instead) =
        instead.filter(|_| scenario.attention == Attention::FlashAttention2 && !biased)
    else {
        return scenario;
    };
    let name = instead.name();
    let why = message!(attention::stands_in, instead = name);
    findings.push(Finding::warning("attention", why).with_fix("attention", name));
    Cow::Owned(Scenario {
        attention: instead,
        ..scenario.into_owned()
    })
}

/// The finding about the flash-attn package.
fn why_no_flash(refusal: FlashRefusal) -> Finding {
    let (why, instead) = match refusal {
        FlashRefusal::OneWay(name) => (message!(attention::one_way, name), Attention::Eager),
        // `_compatible_flash_implementations` (`modeling_utils.py`, transformers 5.23).
        FlashRefusal::Sinks => return Finding::warning("attention", message!(attention::sinks)),
        FlashRefusal::ChosenKeys => (message!(attention::chosen_keys), Attention::Sdpa),
        FlashRefusal::Because { why, instead } => (why(), instead),
    };
    Finding::error("attention", why).with_fix("attention", instead.name())
}

/// Refuses to checkpoint layers of a model that cannot (`supports_gradient_checkpointing`).
fn check_checkpoints(scenario: &Scenario, name: &str, findings: &mut Vec<Finding>) {
    if scenario.activation_checkpointing != ActivationCheckpointing::None {
        findings.push(
            Finding::error(
                "activation_checkpointing",
                message!(attention::no_checkpoints, name),
            )
            .with_fix(
                "activation_checkpointing",
                ActivationCheckpointing::None.name(),
            ),
        );
    }
}
