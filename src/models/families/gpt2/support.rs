//! Attention that GPT-2's kin do not have, or not here.

use crate::ask::{Attention, Finding, Precision, Scenario, message};
use crate::model::{Architecture, AttentionSupport, FlashRefusal};

/// Eager attention, of GPT-Neo and GPT-J, in whose place the flash-attn package is not estimated.
pub(crate) const EAGER_OR_FLASH: AttentionSupport = AttentionSupport {
    flash_stand_in: Some(Attention::Eager),
    ..AttentionSupport::EAGER
};

/// Eager attention alone, of `CodeGen` and XGLM.
pub(crate) const EAGER_ATTENTION: AttentionSupport = AttentionSupport {
    flash_refused: Some(FlashRefusal::Because {
        why: || message!(gpt2::eager_only),
        instead: Attention::Eager,
    }),
    ..AttentionSupport::EAGER
};

/// Refuses eager attention of `GPTBigCode` where `TorchScript` decides what it allocates.
pub(super) fn check(scenario: &Scenario, _: &Architecture, findings: &mut Vec<Finding>) {
    if scenario.attention == Attention::Eager
        && !scenario.framework.has_transformers_5()
        && scenario.precision != Precision::Fp32
    {
        findings.push(
            Finding::error("attention", message!(gpt2::bigcode_eager))
                .with_fix("attention", Attention::Sdpa.name()),
        );
    }
}
