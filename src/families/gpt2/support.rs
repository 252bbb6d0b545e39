//! Attention that GPT-2's kin do not have, or not here.

use crate::ask::{Attention, Finding, Framework, Precision, Scenario};
use crate::model::{Architecture, AttentionSupport, FlashRefusal};

/// Eager attention alone, of GPT-Neo, GPT-J, `CodeGen` and XGLM.
pub(crate) const EAGER_ATTENTION: AttentionSupport = AttentionSupport {
    flash_refused: Some(FlashRefusal::Because {
        texts: [
            "The flash-attn package is not estimated for GPT-Neo, GPT-J and CodeGen, and XGLM has no such attention; eager is.",
            "暂不支持估算 GPT-Neo、GPT-J 和 CodeGen 使用 flash-attn 包的情形，XGLM 没有这种注意力；支持 eager。",
        ],
        instead: Attention::Eager,
    }),
    ..AttentionSupport::EAGER
};

/// Refuses eager attention of `GPTBigCode` where `TorchScript` decides what it allocates.
pub(super) fn check(scenario: &Scenario, _: &Architecture, findings: &mut Vec<Finding>) {
    if scenario.attention == Attention::Eager
        && scenario.framework != Framework::Torch215Transformers523
        && scenario.precision != Precision::Fp32
    {
        findings.push(
            Finding::error(
                "attention",
                "In 16 bits the eager attention of GPTBigCode runs a softmax that TorchScript fuses as it likes (transformers 4); sdpa is estimated.",
                "16 位精度下，transformers 4 的 GPTBigCode eager 注意力使用由 TorchScript 自行融合的 softmax；支持 sdpa。",
            )
            .with_fix("attention", Attention::Sdpa.name()),
        );
    }
}
