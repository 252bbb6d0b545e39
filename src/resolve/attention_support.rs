//! Implementations of attention that a family does not have.

use super::attention_masks;
use crate::ask::{ActivationCheckpointing, Attention, Finding, Scenario};
use crate::model::{Architecture, FlashRefusal};

/// Refuses what transformers refuses, or what is not estimated yet.
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

/// What there is to say of the flash-attn package.
fn why_no_flash(refusal: FlashRefusal) -> Finding {
    let (english, chinese, instead) = match refusal {
        FlashRefusal::OneWay(name) => (
            format!("transformers writes the attention of {name} in one way only; attention must be eager."),
            format!("transformers 中的 {name} 只有一种注意力实现；attention 必须为 eager。"),
            Attention::Eager,
        ),
        FlashRefusal::Sinks => (
            "The flash-attn package has no attention sinks, which this model has; attention must be eager.".to_owned(),
            "flash-attn 包不支持该模型所需的 attention sinks；attention 必须为 eager。".to_owned(),
            Attention::Eager,
        ),
        FlashRefusal::ChosenKeys => (
            "transformers does not run the flash-attn package for attention that chooses its keys; attention must be sdpa or eager.".to_owned(),
            "transformers 不支持对自行选择键的注意力使用 flash-attn 包；attention 必须为 sdpa 或 eager。".to_owned(),
            Attention::Sdpa,
        ),
        FlashRefusal::Because {
            texts: [english, chinese],
            instead,
        } => (english.to_owned(), chinese.to_owned(), instead),
    };
    Finding::error("attention", english, chinese).with_fix("attention", instead.name())
}

/// Refuses to checkpoint layers of a model that cannot (`supports_gradient_checkpointing`).
fn check_checkpoints(scenario: &Scenario, name: &str, findings: &mut Vec<Finding>) {
    if scenario.activation_checkpointing != ActivationCheckpointing::None {
        findings.push(
            Finding::error(
                "activation_checkpointing",
                format!("transformers has no activation checkpointing for {name}."),
                format!("transformers 的 {name} 不支持激活重计算。"),
            )
            .with_fix(
                "activation_checkpointing",
                ActivationCheckpointing::None.name(),
            ),
        );
    }
}
