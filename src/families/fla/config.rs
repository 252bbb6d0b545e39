//! Models of flash-linear-attention: their sizes and options.

use crate::ask::{
    ActivationCheckpointing, EvaluationKind, Finding, Framework, Precision, Program,
    QuantizationType, Scenario, Task,
};
use crate::model::{Architecture, FlaConfig, FlaMixer, NORM_WIDTH};

/// Refuses options that these models do not have here.
pub(crate) fn check(
    scenario: &Scenario,
    architecture: &Architecture,
    _: Task,
    findings: &mut Vec<Finding>,
) {
    let Architecture::Fla(config) = architecture else {
        return;
    };
    if scenario.quantization.is_on() {
        let (english, chinese) = match config.mixer {
            FlaMixer::Mamba | FlaMixer::Mamba2 => (
                "Quantized models of flash-linear-attention's Mamba and Mamba 2 are not estimated yet.",
                "暂不支持估算 flash-linear-attention 的 Mamba 与 Mamba 2 量化模型。",
            ),
            _ => (
                "Models of flash-linear-attention read their weights directly and cannot be quantized.",
                "flash-linear-attention 的模型直接读取权重，无法量化。",
            ),
        };
        findings.push(
            Finding::error("quantization.type", english, chinese)
                .with_fix("quantization.type", QuantizationType::None.name()),
        );
    }
    findings.extend(failing_before_060(scenario, config));
    if config.lower_bounds
        && scenario.activation_checkpointing == ActivationCheckpointing::FullReentrant
    {
        findings.push(
            Finding::error(
                "activation_checkpointing",
                "The forget gates of the layers of HGRN and HGRN2 share their bounds: gradients cannot go back \
                 through them from each re-entrant checkpoint. Use full.",
                "HGRN 与 HGRN2 各层的遗忘门共用下界，可重入的激活重计算无法逐层反向传播；请使用 full。",
            )
            .with_fix(
                "activation_checkpointing",
                ActivationCheckpointing::Full.name(),
            ),
        );
    }
    if scenario.precision == Precision::Fp32
        && let Some((english, chinese)) = without_float32(config)
    {
        findings.push(
            Finding::error(
                "precision",
                format!("{english} take no float32; use bf16 or amp_bf16."),
                format!("{chinese}不支持 float32；请使用 bf16 或 amp_bf16。"),
            )
            .with_fix("precision", Precision::AmpBf16.name()),
        );
    }
}

/// What fails in the library that goes with transformers 4 (0.2.2), whatever the values are.
fn failing_before_060(scenario: &Scenario, config: &FlaConfig) -> Option<Finding> {
    /// Tokens up to which layers do not run chunk by chunk.
    const SHORT: u64 = 64;
    if scenario.framework == Framework::Torch215Transformers523 {
        return None;
    }
    let evaluation = scenario.asked_evaluation();
    let trains = scenario.program != Program::Evaluation;
    let own = evaluation
        .micro_batch_size
        .unwrap_or(scenario.micro_batch_size);
    let most = match (trains, evaluation.kind) {
        (true, EvaluationKind::None) => scenario.micro_batch_size,
        (true, _) => own.max(scenario.micro_batch_size),
        (false, _) => own,
    };
    let generates = evaluation.kind == EvaluationKind::Generate;
    let masked = scenario.has_padding() && most > 1;
    let (english, chinese) = match config.mixer {
        FlaMixer::Mamba2
            if config
                .state_space
                .is_some_and(|own| own.sizes.inner > NORM_WIDTH) =>
        {
            (
                "Mamba 2 of flash-linear-attention 0.2.2 normalizes up to 16384 columns",
                "flash-linear-attention 0.2.2 的 Mamba 2 最多归一化 16384 列",
            )
        }
        FlaMixer::RetNet if generates => (
            "RetNet of flash-linear-attention 0.2.2 generates from the last token of a prompt alone",
            "flash-linear-attention 0.2.2 的 RetNet 生成时只读取提示的最后一个词元",
        ),
        FlaMixer::RetNet if masked => (
            "RetNet of flash-linear-attention 0.2.2 fails where several samples have a mask",
            "flash-linear-attention 0.2.2 的 RetNet 在多个样本带掩码时会报错",
        ),
        FlaMixer::GatedDeltaNet if trains && scenario.padded(scenario.seq_len) <= SHORT => (
            "Gated DeltaNet of flash-linear-attention 0.2.2 trains on more than 64 tokens only",
            "flash-linear-attention 0.2.2 的 Gated DeltaNet 只能在超过 64 个词元的序列上训练",
        ),
        _ => return None,
    };
    let recent = Framework::Torch215Transformers523.name();
    let finding = Finding::error(
        "framework",
        format!("{english}; use {recent}, with which 0.6.0 goes."),
        format!("{chinese}；请使用搭配 0.6.0 的 {recent}。"),
    );
    Some(finding.with_fix("framework", recent))
}

/// The kernels of a model that take no float32.
fn without_float32(config: &FlaConfig) -> Option<(&'static str, &'static str)> {
    if !config.attention.is_empty() {
        return Some(("The kernels of flash-attn", "flash-attn 的内核"));
    }
    let delta = matches!(config.mixer, FlaMixer::DeltaNet | FlaMixer::GatedDeltaNet);
    delta.then_some(("The kernels of DeltaNet", "DeltaNet 的内核"))
}
