//! Cases of models that read images among their tokens that are not estimated.

use crate::ask::{
    ActivationCheckpointing, Attention, EvaluationKind, Finding, Scenario, Task, message,
};
use crate::model::{Architecture, ImageConfig, ImageKind};

/// Refuses cases that are not estimated yet.
pub(crate) fn check(
    scenario: &Scenario,
    architecture: &Architecture,
    _: Task,
    findings: &mut Vec<Finding>,
) {
    if let Some(images) = architecture.images() {
        check_options(scenario, images, findings);
    }
}

fn check_options(scenario: &Scenario, config: &ImageConfig, findings: &mut Vec<Finding>) {
    let kind = config.kind();
    if scenario.attention == Attention::FlashAttention2 && kind == ImageKind::Mllama {
        findings.push(
            Finding::error("attention", message!(image_text::crossed_flash))
                .with_fix("attention", Attention::Sdpa.name()),
        );
    }
    let grouped = matches!(kind, ImageKind::Gemma3 | ImageKind::PaliGemma);
    if scenario.attention == Attention::FlashAttention2 && grouped && scenario.images > 0 {
        findings.push(
            Finding::warning("attention", message!(image_text::flash_hides_tokens))
                .with_fix("attention", Attention::Sdpa.name()),
        );
    }
    let reentrant = scenario.activation_checkpointing == ActivationCheckpointing::FullReentrant;
    let every = scenario.checkpoint_every.max(1);
    let again = |layers: &[u64]| layers.iter().any(|layer| layer.is_multiple_of(every));
    if let ImageConfig::Crossed(crossed) = config
        && reentrant
        && scenario.images > 0
        && again(&crossed.crossing)
    {
        findings.push(
            Finding::error(
                "activation_checkpointing",
                message!(image_text::crossed_reentrant),
            )
            .with_fix(
                "activation_checkpointing",
                ActivationCheckpointing::Full.name(),
            ),
        );
    }
    let evaluation = scenario.asked_evaluation();
    if kind == ImageKind::SmolVlm && evaluation.kind == EvaluationKind::Trainer {
        findings.push(
            Finding::error("evaluation.kind", message!(image_text::smolvlm_predictions))
                .with_fix("evaluation.kind", EvaluationKind::Loss.name()),
        );
    }
    if evaluation.kind == EvaluationKind::Generate && evaluation.num_beams > 1 {
        findings.push(
            Finding::error("evaluation.num_beams", message!(image_text::beams))
                .with_fix("evaluation.num_beams", 1),
        );
    }
}
