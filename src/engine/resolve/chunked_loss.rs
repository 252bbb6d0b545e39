//! The loss in chunks, or of logits that are cast elsewhere or not at all: where the model's own can be
//! replaced.

use crate::ask::{
    AutocastStyle, EvaluationKind, Finding, Loss, MasterWeights, Program, Scenario, Task, message,
};
use crate::model::{Architecture, DecoderConfig};
use crate::units::DType;

/// The loss of a run: an evaluation has the model's own.
pub(crate) fn resolve(scenario: &Scenario) -> Loss {
    let chunks = scenario.loss == Loss::Chunked;
    if chunks && scenario.program == Program::Evaluation {
        Loss::Labels
    } else {
        scenario.loss
    }
}

/// Whether the model's logits are its head's result for the hidden states, and its loss is theirs.
fn is_plain(config: &DecoderConfig) -> bool {
    let balanced = |experts: &crate::model::Experts| experts.balanced;
    config.family.plain_logits
        && !config.final_softcap
        && !config.experts.as_ref().is_some_and(balanced)
}

/// Refuses such a loss where it is not estimated.
pub(crate) fn check(
    scenario: &Scenario,
    architecture: &Architecture,
    task: Task,
    findings: &mut Vec<Finding>,
) {
    let chunks = scenario.loss == Loss::Chunked;
    let loss = match resolve(scenario) {
        Loss::Chunked => message!(chunked_loss::in_chunks),
        Loss::Cut => message!(chunked_loss::without_logits),
        Loss::Uncast => message!(chunked_loss::as_they_are),
        Loss::Cast => message!(chunked_loss::cast_before),
        Loss::Labels
        | Loss::MeanLogits
        | Loss::None
        | Loss::Own
        | Loss::CrossEntropy
        | Loss::Mse
        | Loss::Mean => return,
    };
    let cut = scenario.loss == Loss::Cut;
    // A loop that takes the loss of hidden states does with them, and with the loss, what the model does.
    let known =
        matches!(architecture, Architecture::Decoder(config) if chunks || cut || is_plain(config));
    let wrapped = scenario.autocast_style == AutocastStyle::Accelerate
        || scenario.optimizer.master_weights != MasterWeights::None;
    // Cut Cross-Entropy takes the place of the head and the loss alike behind images.
    let predicts = task == Task::CausalLm || cut && task == Task::ImageTextToText;
    let why = if !known || !predicts {
        message!(chunked_loss::plain_logits_only, loss)
    } else if scenario.program != Program::Training
        || cut && scenario.evaluation.kind == EvaluationKind::Generate
    {
        message!(chunked_loss::training_only, loss)
    } else if cut
        && scenario.gathered_weights() == DType::Float32
        && !scenario.precision.autocasts()
    {
        message!(chunked_loss::in_16_bits)
    } else if (chunks || cut) && wrapped {
        message!(chunked_loss::wrapped_model, loss)
    } else {
        return;
    };
    findings.push(Finding::error("loss", why).with_fix("loss", Loss::Labels.name()));
}
