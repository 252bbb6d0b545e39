//! Implementations of attention that a family does not have.

use super::attention_masks;
use crate::ask::{ActivationCheckpointing, Attention, Finding, Framework, Precision, Scenario};
use crate::families::doge::reader as doge;
use crate::model::{Architecture, BertKind, DecoderType};

/// Refuses what transformers refuses, or what is not estimated yet.
pub(crate) fn check(scenario: &Scenario, architecture: &Architecture, findings: &mut Vec<Finding>) {
    attention_masks::check(scenario, architecture, findings);
    let config = match architecture {
        Architecture::Decoder(config) => config,
        Architecture::Bert(config) if config.relative.is_some() => {
            return check_deberta(scenario, config.kind, findings);
        }
        Architecture::Bert(config) => {
            return check_bert(scenario, config.kind, findings);
        }
        _ => return,
    };
    let recent = scenario.framework == Framework::Torch215Transformers523;
    doge::check(scenario, config, findings);
    check_layers(scenario, config.model_type, recent, findings);
    if config.model_type.follows_delta_rule() {
        check_delta_rule(scenario, findings);
    }
    match (config.model_type, scenario.attention) {
        (DecoderType::GptBigCode, Attention::Eager)
            if !recent && scenario.precision != Precision::Fp32 =>
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
        (DecoderType::Bloom | DecoderType::Mpt, Attention::FlashAttention2) => findings.push(
            Finding::error(
                "attention",
                "transformers writes the attention of BLOOM and MPT in one way only; attention must be eager.",
                "transformers 中的 BLOOM 和 MPT 只有一种注意力实现；attention 必须为 eager。",
            )
            .with_fix("attention", Attention::Eager.name()),
        ),
        (
            DecoderType::GptNeo | DecoderType::GptJ | DecoderType::CodeGen | DecoderType::Xglm,
            Attention::FlashAttention2,
        ) => findings.push(
            Finding::error(
                "attention",
                "The flash-attn package is not estimated for GPT-Neo, GPT-J and CodeGen, and XGLM has no such attention; eager is.",
                "暂不支持估算 GPT-Neo、GPT-J 和 CodeGen 使用 flash-attn 包的情形，XGLM 没有这种注意力；支持 eager。",
            )
            .with_fix("attention", Attention::Eager.name()),
        ),
        (
            DecoderType::DeepseekV32 | DecoderType::GlmMoeDsa | DecoderType::Doge,
            Attention::FlashAttention2,
        ) => findings.push(
            Finding::error(
                "attention",
                "transformers does not run the flash-attn package for attention that chooses its keys; attention must be sdpa or eager.",
                "transformers 不支持对自行选择键的注意力使用 flash-attn 包；attention 必须为 sdpa 或 eager。",
            )
            .with_fix("attention", Attention::Sdpa.name()),
        ),
        (
            DecoderType::GptOss | DecoderType::GraniteSwa | DecoderType::GraniteMoeSwa,
            Attention::FlashAttention2,
        ) => findings.push(
            Finding::error(
                "attention",
                "The flash-attn package has no attention sinks, which this model has; attention must be eager.",
                "flash-attn 包不支持该模型所需的 attention sinks；attention 必须为 eager。",
            )
            .with_fix("attention", Attention::Eager.name()),
        ),
        (DecoderType::Falcon, Attention::FlashAttention2) => {
            let (message, message_zh) = if config.alibi {
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
        _ => {}
    }
}

/// What transformers does otherwise where layers of a decoder are to be checkpointed.
fn check_layers(
    scenario: &Scenario,
    model_type: DecoderType,
    recent: bool,
    findings: &mut Vec<Finding>,
) {
    if model_type == DecoderType::JetMoe {
        check_checkpoints(scenario, "JetMoE", findings);
    }
    let checkpoints = scenario.activation_checkpointing != ActivationCheckpointing::None;
    if checkpoints && model_type == DecoderType::Starcoder2 && !recent {
        findings.push(
            Finding::warning(
                "activation_checkpointing",
                "transformers 4 does not checkpoint the layers of StarCoder2, whatever is asked for.",
                "transformers 4 不会对 StarCoder2 的各层做激活重计算，设置无效。",
            )
            .with_fix(
                "activation_checkpointing",
                ActivationCheckpointing::None.name(),
            ),
        );
    }
}

/// What the kernels of the gated delta rule do not take.
fn check_delta_rule(scenario: &Scenario, findings: &mut Vec<Finding>) {
    if scenario.precision == Precision::Fp32 {
        findings.push(
            Finding::error(
                "precision",
                "flash-linear-attention's kernels of the delta rule take no float32; use bf16 or amp_bf16.",
                "flash-linear-attention 的 delta 规则内核不支持 float32；请使用 bf16 或 amp_bf16。",
            )
            .with_fix("precision", Precision::AmpBf16.name()),
        );
    }
}

/// What BERT's kin cannot do: some have one attention, and some no checkpointing
/// (`supports_gradient_checkpointing`).
fn check_bert(scenario: &Scenario, kind: BertKind, findings: &mut Vec<Finding>) {
    let name = match kind {
        BertKind::Mpnet => "MPNet",
        BertKind::Albert => "ALBERT",
        BertKind::Megatron => "Megatron BERT",
        BertKind::RemBert => "RemBERT",
        BertKind::RoFormer => "RoFormer",
        _ => return,
    };
    if kind != BertKind::Albert && scenario.attention == Attention::FlashAttention2 {
        findings.push(
            Finding::error(
                "attention",
                format!("transformers writes the attention of {name} in one way only; attention must be eager."),
                format!("transformers 中的 {name} 只有一种注意力实现；attention 必须为 eager。"),
            )
            .with_fix("attention", Attention::Eager.name()),
        );
    }
    if !kind.writes_attention_out() {
        check_checkpoints(scenario, name, findings);
    }
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

/// What `DeBERTa` cannot do, which transformers writes with attention of its own.
fn check_deberta(scenario: &Scenario, kind: BertKind, findings: &mut Vec<Finding>) {
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
    if kind == BertKind::DebertaV1 && scenario.precision != Precision::Fp32 {
        findings.push(
            Finding::error(
                "precision",
                "Biases of the first DeBERTa stay in float32 whatever the model is loaded in, and its scores are filled with the least number of float32: transformers 5 fails in 16 bits and under autocast.",
                "初代 DeBERTa 的偏置无论以何种精度加载都保持 float32，注意力分数也用 float32 的最小值填充：transformers 5 在 16 位精度与自动混合精度下都会报错。",
            )
            .with_fix("precision", Precision::Fp32.name()),
        );
    }
    if kind == BertKind::Deberta
        && scenario.activation_checkpointing == ActivationCheckpointing::FullReentrant
    {
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
