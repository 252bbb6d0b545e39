//! Which settings have no effect in a scenario, and why: such a control is shown disabled.

use super::{
    ActivationCheckpointing, Architecture, Attention, EvaluationKind, Loss, ModelRef,
    OptimizerName, Program, Scenario, model, task,
};

/// Why a setting has no effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Idle {
    /// The model is one linear layer.
    LinearModel,
    /// There is no backward pass.
    ForwardOnly,
    /// There is no optimizer.
    NoOptimizer,
    /// The optimizer has one implementation.
    OneImplementation,
    /// No worker process prefetches.
    NoWorkers,
    /// The optimizer is on the device.
    NothingOffloaded,
    /// The attention implementation is not sdpa.
    NotSdpa,
    /// No layer is checkpointed.
    NotCheckpointed,
    /// There is no evaluation.
    NoEvaluation,
    /// The evaluation keeps no predictions.
    NotTrainer,
    /// Nothing is generated.
    NotGenerating,
    /// The model reads images, whose sizes its config says.
    Images,
    /// The model has no decoder with a length of its own.
    NoDecoder,
    /// The model is estimated for one task.
    OneTask,
}

/// Why the setting with this key has no effect, if it has none.
pub fn idle(scenario: &Scenario, key: &str) -> Option<Idle> {
    let linear = matches!(scenario.model, ModelRef::Linear { .. });
    let forward_only = scenario.program != Program::Training || scenario.loss == Loss::None;
    let of_images = || architecture(scenario).is_some_and(|model| model.tokens().is_some());
    match key {
        "seq_len" | "padding_mask" if of_images() => Some(Idle::Images),
        "target_seq_len" => architecture(scenario)
            .filter(|model| !model.is_encoder_decoder())
            .map(|_| Idle::NoDecoder),
        "task" => architecture(scenario)
            .filter(|model| task::tasks(model).len() == 1)
            .map(|_| Idle::OneTask),
        "seq_len" | "attention" | "activation_checkpointing" | "loss" | "padding_mask"
            if linear =>
        {
            Some(Idle::LinearModel)
        }
        "optimizer.name"
        | "optimizer.impl"
        | "clip_grad_norm"
        | "gradient_accumulation_steps"
        | "activation_checkpointing"
        | "zero_grad_set_to_none"
        | "offload.optimizer_states"
        | "offload.gradients"
        | "offload.activations"
        | "checkpoint_every"
            if forward_only =>
        {
            Some(Idle::ForwardOnly)
        }
        "optimizer.impl" | "clip_grad_norm" if scenario.optimizer.name == OptimizerName::None => {
            Some(Idle::NoOptimizer)
        }
        "optimizer.impl"
            if scenario.optimizer.name == OptimizerName::AdafactorTransformers
                || scenario.offload.optimizer_states =>
        {
            Some(Idle::OneImplementation)
        }
        "offload.gradients" if !scenario.offload.optimizer_states => Some(Idle::NothingOffloaded),
        "checkpoint_every"
            if scenario.activation_checkpointing == ActivationCheckpointing::None =>
        {
            Some(Idle::NotCheckpointed)
        }
        "sdpa_backend" if scenario.attention != Attention::Sdpa => Some(Idle::NotSdpa),
        "dataloader.prefetch_factor" if scenario.dataloader.num_workers == 0 => {
            Some(Idle::NoWorkers)
        }
        key if key.starts_with("evaluation.") => idle_evaluation(scenario, key),
        _ => None,
    }
}

/// The same of an evaluation's settings.
fn idle_evaluation(scenario: &Scenario, key: &str) -> Option<Idle> {
    let kind = super::evaluation::resolve(scenario).kind;
    match key {
        "evaluation.kind" if scenario.program == Program::Forward => Some(Idle::NoEvaluation),
        "evaluation.kind" => None,
        _ if kind == EvaluationKind::None => Some(Idle::NoEvaluation),
        "evaluation.batches" | "evaluation.keep_predictions" | "evaluation.accumulation_steps"
            if kind != EvaluationKind::Trainer =>
        {
            Some(Idle::NotTrainer)
        }
        "evaluation.max_new_tokens" | "evaluation.num_beams" | "evaluation.do_sample"
            if kind != EvaluationKind::Generate =>
        {
            Some(Idle::NotGenerating)
        }
        _ => None,
    }
}

/// The model's architecture, if it is one.
fn architecture(scenario: &Scenario) -> Option<Architecture> {
    model::read(scenario, &mut Vec::new()).map(|model| model.architecture)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_idle_in_plain_training() {
        let scenario = Scenario::default();
        for key in ["seq_len", "optimizer.impl", "clip_grad_norm", "attention"] {
            assert_eq!(idle(&scenario, key), None, "{key}");
        }
    }

    #[test]
    fn images_have_no_sequence_length_and_only_decoders_a_target() {
        let of = |id: &str| Scenario {
            model: ModelRef::Catalog(id.to_owned()),
            ..Scenario::default()
        };
        assert_eq!(idle(&of("vit-base"), "seq_len"), Some(Idle::Images));
        assert_eq!(idle(&of("bert-base"), "seq_len"), None);
        assert_eq!(idle(&of("bert-base"), "task"), None);
        assert_eq!(idle(&of("vit-base"), "task"), Some(Idle::OneTask));
        assert_eq!(idle(&of("bart-base"), "target_seq_len"), None);
        assert_eq!(idle(&of("gpt2"), "target_seq_len"), Some(Idle::NoDecoder));
    }

    #[test]
    fn without_a_backward_pass_there_is_nothing_to_optimize() {
        let scenario = Scenario {
            program: Program::Forward,
            ..Scenario::default()
        };
        assert_eq!(idle(&scenario, "optimizer.name"), Some(Idle::ForwardOnly));
    }
}
