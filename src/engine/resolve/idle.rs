//! Settings without effect in a scenario, and why: such a control is shown disabled.

use super::{expert_adapters, liger, parallelism, task};
use crate::ask::{
    ActivationCheckpointing, ActivationOffloadKind, Attention, DatasetMode, EvaluationKind, Loss,
    ModelRef, Objective, ObjectiveKind, OptimizerName, Program, QuantizationType, Scenario, Task,
};
use crate::families;
use crate::model::Architecture;

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
    /// Layers are not checkpointed operation by operation.
    NotSelective,
    /// Nothing is packed.
    NotPacked,
    /// Batches do not differ in length, as far as anything says.
    SameLengths,
    /// The objective has no use for it.
    NotOfObjective,
    /// Nothing is generated.
    NotGenerating,
    /// The model reads images, whose sizes its config says.
    Images,
    /// Nothing in the model attends.
    NoAttention,
    /// The model reads no images among its tokens.
    NoImages,
    /// The model has no decoder with a length of its own.
    NoDecoder,
    /// The model is estimated for one task.
    OneTask,
    /// The model is no exported graph.
    NoGraph,
    /// The model is an exported graph, which has its own.
    Graph,
    /// There are no adapters.
    NoAdapters,
    /// The base model is not quantized, or not to four bits.
    NotQuantized,
    /// Nothing is made float32 before adapters are trained.
    NotPrepared,
    /// The model has no experts.
    NoExperts,
    /// There is no autocast.
    NotAutocast,
    /// The optimizer has no such option.
    NoSuchOption,
    /// No kernels of Liger run.
    NoKernels,
    /// No other library has modules for the model.
    NoModules,
    /// Liger has no kernels for the model.
    NoLiger,
    /// The data set is held in another way.
    OtherDataset,
    /// There is one GPU.
    OneGpu,
    /// No ranks see different data.
    NotDataParallel,
    /// Data parallelism is not DDP's.
    NotDdp,
    /// It is not FSDP's.
    NotFsdp,
    /// It is not FSDP1's.
    NotFsdp1,
    /// It is not FSDP2's.
    NotFsdp2,
    /// It is not DeepSpeed's.
    NotZero,
    /// It is not stage 3 of DeepSpeed's.
    NotStage3,
    /// The model is not Megatron-Core's.
    NotMegatron,
    /// No matrix is divided.
    NotTensor,
    /// The layers are not divided.
    NotPipeline,
    /// The sequence is not divided.
    NotContext,
    /// The experts are not divided.
    NotExpert,
    /// The processes of each GPU are given.
    ByGpu,
}

/// Why limits of pixels have no effect on images of this model, if they have none.
fn idle_pixels(model: &Architecture) -> Option<Idle> {
    match model.images() {
        Some(images) => images.packed().is_none().then_some(Idle::Images),
        None => Some(Idle::NoImages),
    }
}

/// Whether a setting is one of families, which a graph has decided.
fn is_of_families(key: &str) -> bool {
    [
        "seq_len",
        "target_seq_len",
        "attention",
        "sdpa_backend",
        "padding_mask",
        "use_cache",
        "task",
        "model_overrides",
        "image_size",
        "images",
        "min_pixels",
        "max_pixels",
        "tied_embeddings",
    ]
    .contains(&key)
}

/// Why the setting with this key has no effect, if it has none.
pub fn idle(scenario: &Scenario, key: &str) -> Option<Idle> {
    let linear = matches!(scenario.model, ModelRef::Linear { .. });
    let forward_only = scenario.program != Program::Training || scenario.loss == Loss::None;
    let of_images = || architecture(scenario).is_some_and(|model| model.tokens().is_some());
    let exported = matches!(scenario.model, ModelRef::Exported(_));
    match key {
        "symbols" | "convolutions" | "layer_modules" if !exported => Some(Idle::NoGraph),
        key if exported && is_of_families(key) => Some(Idle::Graph),
        "seq_len" | "padding_mask" | "dataset.lengths" if of_images() => Some(Idle::Images),
        "attention" | "sdpa_backend"
            if architecture(scenario).is_some_and(|model| {
                let family = model.family();
                family.is_some_and(|family| !family.attention_support.attends)
            }) =>
        {
            Some(Idle::NoAttention)
        }
        "target_seq_len" => architecture(scenario)
            .filter(|model| !model.is_encoder_decoder() && !transcribes(scenario, model))
            .map(|_| Idle::NoDecoder),
        "image_size" => architecture(scenario).and_then(|model| match model.images() {
            Some(images) => (!images.sees_any_size()).then_some(Idle::Images),
            None => Some(Idle::NoImages),
        }),
        "min_pixels" | "max_pixels" => architecture(scenario).and_then(|model| idle_pixels(&model)),
        "images" => architecture(scenario)
            .filter(|model| model.images().is_none())
            .map(|_| Idle::NoImages),
        "task" => architecture(scenario)
            .filter(|model| {
                let tasks = task::tasks(model, scenario.framework);
                tasks.len() == 1 && scenario.task.is_none_or(|asked| tasks.contains(&asked))
            })
            .map(|_| Idle::OneTask),
        "seq_len"
        | "attention"
        | "activation_checkpointing"
        | "loss"
        | "padding_mask"
        | "use_cache"
        | "model_overrides"
        | "pad_to_multiple_of"
        | "dataset.length_mean"
        | "dataset.lengths"
        | "packing.kind"
            if linear =>
        {
            Some(Idle::LinearModel)
        }
        "lora" if linear && scenario.lora.is_none() => Some(Idle::LinearModel),
        "implementation" | "liger_version" | "liger_kernel" => {
            idle_modules(scenario, key).or_else(|| parallelism::idle(scenario, key))
        }
        "optimizer.name"
        | "optimizer.impl"
        | "clip_grad_norm"
        | "gradient_accumulation_steps"
        | "activation_checkpointing"
        | "zero_grad_set_to_none"
        | "optimizer.in_backward"
        | "optimizer.momentum"
        | "optimizer.amsgrad"
        | "optimizer.weight_decay"
        | "optimizer.relative_step"
        | "optimizer.rank"
        | "optimizer.bf16_stochastic_round"
        | "optimizer.by_trainer"
        | "offload.optimizer_states"
        | "offload.gradients"
        | "offload.activations"
        | "activation_offload.kind"
        | "checkpoint_every"
            if forward_only =>
        {
            Some(Idle::ForwardOnly)
        }
        "optimizer.impl" | "clip_grad_norm" if scenario.optimizer.name == OptimizerName::None => {
            Some(Idle::NoOptimizer)
        }
        key if key.starts_with("optimizer.") && key != "optimizer.name" => {
            idle_optimizer(scenario, key)
        }
        "offload.gradients" if !scenario.offload.optimizer_states => Some(Idle::NothingOffloaded),
        "checkpoint_every"
            if scenario.activation_checkpointing == ActivationCheckpointing::None =>
        {
            Some(Idle::NotCheckpointed)
        }
        "sdpa_backend" if scenario.attention != Attention::Sdpa => Some(Idle::NotSdpa),
        "weights" | "autocast_style"
            if !scenario.precision.autocasts() && scenario.weights.is_none() =>
        {
            Some(Idle::NotAutocast)
        }
        key if key.starts_with("lora.") || key.starts_with("quantization.") => {
            idle_adapters(scenario, key)
        }
        key if key.starts_with("evaluation.") => idle_evaluation(scenario, key),
        _ => idle_step(scenario, key).or_else(|| parallelism::idle(scenario, key)),
    }
}

/// Why a setting that replaces a model's modules has no effect, if it has none.
fn idle_modules(scenario: &Scenario, key: &str) -> Option<Idle> {
    match key {
        "implementation" if scenario.implementation.is_none() => architecture(scenario)
            .filter(|model| !families::torchtune_has_modules(model))
            .map(|_| Idle::NoModules),
        "liger_version" if scenario.liger_kernel.is_empty() => Some(Idle::NoKernels),
        "liger_kernel" if scenario.liger_kernel.is_empty() => architecture(scenario)
            .filter(|model| liger::kit(model, scenario.framework).is_none())
            .map(|_| Idle::NoLiger),
        _ => None,
    }
}

/// Why a setting that shapes a step, or feeds it, has no effect, if it has none.
fn idle_step(scenario: &Scenario, key: &str) -> Option<Idle> {
    match key {
        "neftune_noise_alpha" if matches!(scenario.model, ModelRef::Linear { .. }) => {
            Some(Idle::LinearModel)
        }
        "packing.sequences" if !scenario.packing.is_on() => Some(Idle::NotPacked),
        "dataset.lengths" if scenario.packing.is_on() => Some(Idle::SameLengths),
        "dataloader.group_by_length" if scenario.dataset.lengths.is_none() => {
            Some(Idle::SameLengths)
        }
        key if key.starts_with("objective.")
            && key != "objective.kind"
            && !is_used(&scenario.objective, key) =>
        {
            Some(Idle::NotOfObjective)
        }
        "selective.save" | "selective.every_second_mm"
            if scenario.activation_checkpointing != ActivationCheckpointing::Operations =>
        {
            Some(Idle::NotSelective)
        }
        "activation_offload.streams"
            if scenario.activation_offload.kind != ActivationOffloadKind::SavedTensors =>
        {
            Some(Idle::NothingOffloaded)
        }
        "dataloader.prefetch_factor"
        | "dataloader.persistent_workers"
        | "dataloader.multiprocessing_context"
            if scenario.dataloader.num_workers == 0 =>
        {
            Some(Idle::NoWorkers)
        }
        "dataset.row_group_bytes" if scenario.dataset.mode != DatasetMode::Reopened => {
            Some(Idle::OtherDataset)
        }
        _ => None,
    }
}

/// Options of an optimizer without effect.
fn idle_optimizer(scenario: &Scenario, key: &str) -> Option<Idle> {
    let name = scenario.optimizer.name;
    let one = scenario.offload.optimizer_states || name.implementations().len() == 1;
    let missing = match key {
        "optimizer.impl" => {
            let wrong = !name
                .implementations()
                .contains(&scenario.optimizer.implementation);
            return (one && !wrong).then_some(Idle::OneImplementation);
        }
        "optimizer.momentum" => !name.has_momentum(),
        "optimizer.amsgrad" => !name.has_amsgrad(),
        "optimizer.rank" => !name.has_rank(),
        "optimizer.bf16_stochastic_round" => !name.is_of_torchao(),
        "optimizer.by_trainer" => {
            let evaluation = scenario.asked_evaluation().kind;
            !name.has_groups() && evaluation != EvaluationKind::Trainer
        }
        "optimizer.relative_step" => name != OptimizerName::AdafactorTransformers,
        "optimizer.weight_decay" => name == OptimizerName::AdamW,
        _ => false,
    };
    missing.then_some(Idle::NoSuchOption)
}

/// Settings without effect of adapters and of the base below them.
fn idle_adapters(scenario: &Scenario, key: &str) -> Option<Idle> {
    let quantization = scenario.quantization;
    let four_bits = matches!(
        quantization.kind,
        QuantizationType::Nf4 | QuantizationType::Fp4
    );
    match key {
        "quantization.type" if quantization.is_on() => None,
        "quantization.double" if !four_bits => Some(Idle::NotQuantized),
        "quantization.type" => scenario.lora.is_none().then_some(Idle::NoAdapters),
        "quantization.cast_back"
            if quantization.is_on() && !quantization.prepare_for_kbit_training =>
        {
            Some(Idle::NotPrepared)
        }
        "quantization.experts" if quantization.is_on() => architecture(scenario)
            .filter(|model| model.experts().is_none())
            .map(|_| Idle::NoExperts),
        "lora.convert_experts" if scenario.lora.is_some() => architecture(scenario)
            .filter(|model| expert_adapters::former_names(model, scenario.framework).is_none())
            .map(|_| Idle::NoExperts),
        key if key.starts_with("lora.") => scenario.lora.is_none().then_some(Idle::NoAdapters),
        _ => (!quantization.is_on()).then_some(Idle::NotQuantized),
    }
}

/// Settings of an evaluation without effect.
fn idle_evaluation(scenario: &Scenario, key: &str) -> Option<Idle> {
    let kind = scenario.asked_evaluation().kind;
    match key {
        "evaluation.kind" if scenario.program == Program::Forward => Some(Idle::NoEvaluation),
        "evaluation.kind" => None,
        _ if kind == EvaluationKind::None => Some(Idle::NoEvaluation),
        "evaluation.use_cache" | "evaluation.logits_to_keep" if scenario.objective.is_on() => {
            Some(Idle::NotOfObjective)
        }
        "evaluation.keep_predictions" if scenario.objective.trains_on_generated() => {
            Some(Idle::NotOfObjective)
        }
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

/// Whether the task is to transcribe recordings.
fn transcribes(scenario: &Scenario, model: &Architecture) -> bool {
    let transcribes = model
        .family()
        .is_some_and(|family| family.own_task() == Task::Ctc);
    transcribes && scenario.task.is_none_or(|task| task == Task::Ctc)
}

/// The model's architecture, if it is one.
fn architecture(scenario: &Scenario) -> Option<Architecture> {
    families::read(scenario, &mut Vec::new()).map(|model| model.architecture)
}

/// Whether an objective has a use for the option with this key.
fn is_used(objective: &Objective, key: &str) -> bool {
    let kind = objective.kind;
    match key {
        "objective.beta" | "objective.generation" => objective.trains_on_generated(),
        "objective.num_iterations" => kind == ObjectiveKind::Grpo,
        "objective.teacher" | "objective.teacher_dtype" => objective.has_teacher(),
        "objective.loss_type" => !kind.losses().is_empty(),
        "objective.vllm_gpu_memory_utilization" => objective.uses_vllm(),
        "objective.precompute_ref_log_probs" | "objective.log_probs" => {
            matches!(kind, ObjectiveKind::Dpo | ObjectiveKind::Kto)
        }
        _ => !matches!(kind, ObjectiveKind::None | ObjectiveKind::Reward),
    }
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
        assert_eq!(idle(&of("whisper-tiny"), "seq_len"), Some(Idle::Images));
        assert_eq!(idle(&of("whisper-tiny"), "target_seq_len"), None);
        assert_eq!(idle(&of("bert-base"), "seq_len"), None);
        assert_eq!(idle(&of("bert-base"), "task"), None);
        assert_eq!(idle(&of("vit-base"), "task"), Some(Idle::OneTask));
        assert_eq!(idle(&of("vit-base"), "convolutions"), Some(Idle::NoGraph));
        assert_eq!(idle(&of("bart-base"), "target_seq_len"), None);
        assert_eq!(idle(&of("gpt2"), "target_seq_len"), Some(Idle::NoDecoder));
    }

    #[test]
    fn adapters_come_before_a_quantized_base_and_options_belong_to_optimizers() {
        let mut scenario = Scenario::default();
        assert_eq!(idle(&scenario, "quantization.type"), Some(Idle::NoAdapters));
        assert_eq!(idle(&scenario, "lora.r"), Some(Idle::NoAdapters));
        assert_eq!(
            idle(&scenario, "optimizer.momentum"),
            Some(Idle::NoSuchOption)
        );
        assert_eq!(idle(&scenario, "optimizer.amsgrad"), None);
        assert_eq!(idle(&scenario, "weights"), Some(Idle::NotAutocast));
        scenario.lora = Some(crate::ask::Lora::default());
        assert_eq!(idle(&scenario, "quantization.type"), None);
        assert_eq!(
            idle(&scenario, "quantization.double"),
            Some(Idle::NotQuantized)
        );
        scenario.quantization.kind = QuantizationType::Nf4;
        assert_eq!(idle(&scenario, "quantization.double"), None);
        scenario.optimizer.name = OptimizerName::Lion;
        assert_eq!(idle(&scenario, "optimizer.impl"), None, "foreach is wrong");
        scenario.model = ModelRef::Catalog("gpt2".to_owned());
        assert_eq!(idle(&scenario, "liger_kernel"), Some(Idle::NoLiger));
    }

    #[test]
    fn without_a_backward_pass_there_is_nothing_to_optimize() {
        let scenario = Scenario {
            program: Program::Forward,
            ..Scenario::default()
        };
        assert_eq!(idle(&scenario, "optimizer.name"), Some(Idle::ForwardOnly));
    }

    #[test]
    fn another_library_s_modules_are_for_models_that_it_has() {
        let of = |id: &str| Scenario {
            model: ModelRef::Catalog(id.to_owned()),
            ..Scenario::default()
        };
        assert_eq!(idle(&of("qwen2.5-1.5b"), "implementation"), None);
        let bert = of("bert-base");
        assert_eq!(idle(&bert, "implementation"), Some(Idle::NoModules));
    }
}
