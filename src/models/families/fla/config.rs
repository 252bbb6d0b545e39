//! Models of flash-linear-attention: their sizes and options.

use crate::ask::{
    ActivationCheckpointing, EvaluationKind, Finding, Framework, Message, Precision, Program,
    QuantizationType, Scenario, Task, message,
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
        let why = match config.mixer {
            FlaMixer::Mamba | FlaMixer::Mamba2 => message!(fla::quantized_mamba),
            _ => message!(fla::quantized),
        };
        findings.push(
            Finding::error("quantization.type", why)
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
                message!(fla::reentrant_shared_bounds),
            )
            .with_fix(
                "activation_checkpointing",
                ActivationCheckpointing::Full.name(),
            ),
        );
    }
    if scenario.precision == Precision::Fp32
        && let Some(why) = without_float32(config)
    {
        findings.push(
            Finding::error("precision", why).with_fix("precision", Precision::AmpBf16.name()),
        );
    }
}

/// Options that fail in the library that goes with transformers 4 (0.2.2), whatever the values are.
fn failing_before_060(scenario: &Scenario, config: &FlaConfig) -> Option<Finding> {
    /// Tokens up to which layers do not run chunk by chunk.
    const SHORT: u64 = 64;
    if scenario.framework.has_transformers_5() {
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
    let recent = Framework::Torch215Transformers523.name();
    let wide = (config.state_space).is_some_and(|own| own.sizes.inner > NORM_WIDTH);
    let why = match config.mixer {
        FlaMixer::Mamba2 if wide => message!(fla::old_mamba2_width, recent),
        FlaMixer::RetNet if generates => message!(fla::old_retnet_generation, recent),
        FlaMixer::RetNet if masked => message!(fla::old_retnet_mask, recent),
        FlaMixer::GatedDeltaNet if trains && scenario.padded(scenario.seq_len) <= SHORT => {
            message!(fla::old_gated_deltanet_short, recent)
        }
        _ => return None,
    };
    Some(Finding::error("framework", why).with_fix("framework", recent))
}

/// The kernels of a model that take no float32.
fn without_float32(config: &FlaConfig) -> Option<Message> {
    if !config.attention.is_empty() {
        return Some(message!(fla::flash_float32));
    }
    let delta = matches!(config.mixer, FlaMixer::DeltaNet | FlaMixer::GatedDeltaNet);
    delta.then(|| message!(fla::deltanet_float32))
}
