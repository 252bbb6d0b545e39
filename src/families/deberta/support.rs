//! What `DeBERTa` cannot do, which transformers writes with attention of its own.

use crate::ask::{ActivationCheckpointing, Attention, Finding, Precision, Scenario};
use crate::model::Architecture;

/// Refuses what attention to distances does not run in.
fn check_flash(scenario: &Scenario, findings: &mut Vec<Finding>) {
    if scenario.attention == Attention::FlashAttention2 {
        findings.push(
            Finding::error(
                "attention",
                "DeBERTa's attention to distances runs in one way only; attention must be eager.",
                "DeBERTa 的相对位置注意力只有一种实现；attention 必须为 eager。",
            )
            .with_fix("attention", Attention::Eager.name()),
        );
    }
}

/// What the first cannot do.
pub(crate) fn check_first(scenario: &Scenario, _: &Architecture, findings: &mut Vec<Finding>) {
    check_flash(scenario, findings);
    if scenario.precision != Precision::Fp32 {
        findings.push(
            Finding::error(
                "precision",
                "Biases of the first DeBERTa stay in float32 whatever the model is loaded in, and its scores are filled with the least number of float32: transformers 5 fails in 16 bits and under autocast.",
                "初代 DeBERTa 的偏置无论以何种精度加载都保持 float32，注意力分数也用 float32 的最小值填充：transformers 5 在 16 位精度与自动混合精度下都会报错。",
            )
            .with_fix("precision", Precision::Fp32.name()),
        );
    }
}

/// What the second cannot do.
pub(crate) fn check_second(scenario: &Scenario, _: &Architecture, findings: &mut Vec<Finding>) {
    check_flash(scenario, findings);
    if scenario.activation_checkpointing == ActivationCheckpointing::FullReentrant {
        findings.push(
            Finding::error(
                "activation_checkpointing",
                "All layers of DeBERTa share a table of distances, through which re-entrant checkpointing goes backward twice: PyTorch refuses that.",
                "DeBERTa 各层共享相对位置表，可重入重计算会对其反向两次，PyTorch 会报错。",
            )
            .with_fix("activation_checkpointing", ActivationCheckpointing::Full.name()),
        );
    }
}

/// `DisentangledSelfAttention` of the second fills scores with the least number of its queries' dtype:
/// quantized layers give them in float32, autocast the scores in 16 bits.
pub(crate) fn check_quantized(scenario: &Scenario, _: &Architecture, findings: &mut Vec<Finding>) {
    let autocast = matches!(scenario.precision, Precision::AmpBf16 | Precision::AmpFp16);
    if scenario.quantization.is_on() && autocast {
        findings.push(
            Finding::error(
                "precision",
                "Over quantized layers DeBERTa masks scores that autocast has in 16 bits with the least number of float32, which PyTorch refuses; without autocast it runs.",
                "在量化的 DeBERTa 中，自动混合精度下的注意力分数为 16 位，却用 float32 的最小值做掩码，PyTorch 会报错；不用自动混合精度则可以。",
            )
            .with_fix("precision", Precision::Bf16.name()),
        );
    }
}
