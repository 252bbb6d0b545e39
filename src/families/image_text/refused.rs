//! What is not estimated of models that read images among their tokens.

use crate::ask::ALL_LINEAR;
use crate::ask::{
    ActivationCheckpointing, Attention, EvaluationKind, Finding, Program, Scenario, Task, message,
};
use crate::families::reading::modules;
use crate::model::{Architecture, ImageConfig, ImageKind, Module};

/// What is not estimated yet.
pub(crate) fn check(
    scenario: &Scenario,
    architecture: &Architecture,
    task: Task,
    findings: &mut Vec<Finding>,
) {
    if let Some(images) = architecture.images() {
        check_options(scenario, images, findings);
    }
    check_trained(scenario, architecture, task, findings);
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

/// Refuses batches without images that train nothing but what sees images: their loss has no gradient,
/// unless re-entrant checkpoints ask for one of what is embedded.
fn check_trained(
    scenario: &Scenario,
    architecture: &Architecture,
    task: Task,
    findings: &mut Vec<Finding>,
) {
    let reentrant = scenario.activation_checkpointing == ActivationCheckpointing::FullReentrant;
    let Some(images) = architecture.images().filter(|_| scenario.images == 0) else {
        return;
    };
    let untrained = scenario.lora.is_none() && scenario.frozen.is_empty();
    if reentrant || untrained || scenario.program != Program::Training {
        return;
    }
    let decoder = images.kind().text_model();
    let modules = modules(architecture, task, scenario.framework);
    let of_texts =
        |path: &str| path.starts_with(decoder) || path.split('.').any(|part| part == "lm_head");
    let trained = |module: &Module| match &scenario.lora {
        Some(lora) => {
            let adapted = |name: &String| name == ALL_LINEAR || module.is_called(name);
            let linear = module.kind.is_linear();
            linear && lora.target_modules.iter().any(adapted) || lora.saves(&module.path)
        }
        None => module.parameter_paths().any(|path| {
            !scenario
                .frozen
                .iter()
                .any(|part| path.contains(part.as_str()))
        }),
    };
    let matrices = scenario
        .lora
        .as_ref()
        .is_some_and(|lora| !lora.target_parameters.is_empty());
    if matrices
        || modules
            .iter()
            .any(|module| of_texts(&module.path) && trained(module))
    {
        return;
    }
    findings.push(
        Finding::error("images", message!(image_text::nothing_trained)).with_fix("images", 1),
    );
}
