//! The table of settings, in order of weight: a line each.

use super::groups::{
    BATCH_SIZES, COUNTS, FEW, FEW_OR_NONE, Group, LENGTHS, PIXELS, POWERS, SHARES, SIZES, SPLITS,
};
use super::parallelism::PARALLELISM;
use crate::ask::{LossType, ModelRef, Scenario};
use crate::catalog::ACCELERATORS;
use crate::families::catalog_model;
use crate::resolve::{image_tokens, offers};
use crate::text::{Language, Word, image_tokens_sentence, value_name};
use crate::views::setting::Absent::{As, Called, Is};
use crate::views::setting::{Look, Setting};
use crate::widgets::Choice;

/// All groups, in the order in which a run is planned.
pub(super) fn groups() -> impl Iterator<Item = &'static Group> {
    [
        &METHOD,
        &PARALLELISM,
        &SEQUENCE,
        &EVALUATION,
        &MODEL,
        &SAVERS,
        &DATA,
        &MACHINE,
        &VERSIONS,
    ]
    .into_iter()
}

/// The settings that matter most, below the model.
pub(in crate::views) static MAIN: &[Setting] = &[
    Setting::new("hardware.gpu").look(Look::Choice(accelerators)),
    Setting::new("micro_batch_size").steps(BATCH_SIZES),
    Setting::new("seq_len").steps(LENGTHS),
    Setting::new("gradient_accumulation_steps").steps(POWERS),
    Setting::new("precision").half(),
    Setting::new("activation_checkpointing").half(),
    Setting::new("optimizer.name").half(),
    Setting::new("attention").half(),
];

/// Adapters, the base below them, frozen parts, and the optimizer.
static METHOD: Group = Group {
    id: "group-method",
    title: Word::GroupMethod,
    note: None,
    settings: &[
        Setting::new("lora").look(Look::Adapters),
        Setting::new("lora.r").steps(POWERS).absent(Is(16)),
        Setting::new("lora.target_modules").look(Look::Names),
        Setting::new("lora.target_pattern"),
        Setting::new("lora.dropout").look(Look::Shares(SHARES)),
        Setting::new("lora.use_dora"),
        Setting::new("lora.modules_to_save").look(Look::Names),
        Setting::new("lora.target_parameters").look(Look::Names),
        Setting::new("lora.adapter_dtype"),
        Setting::new("lora.kernels").look(Look::Names),
        Setting::new("lora.input_requires_grad"),
        Setting::new("lora.convert_experts"),
        Setting::new("quantization.type").half(),
        Setting::new("quantization.compute_dtype").half(),
        Setting::new("quantization.storage").absent(Called(Word::Automatic)),
        Setting::new("quantization.double"),
        Setting::new("quantization.prepare_for_kbit_training"),
        Setting::new("quantization.cast_back"),
        Setting::new("quantization.experts"),
        Setting::new("frozen").look(Look::Names),
        Setting::new("optimizer.impl").look(Look::Choice(implementations)),
        Setting::new("clip_grad_norm"),
        Setting::new("zero_grad_set_to_none"),
        Setting::new("optimizer.in_backward"),
        Setting::new("optimizer.momentum").look(Look::Shares(SHARES)),
        Setting::new("optimizer.amsgrad"),
        Setting::new("optimizer.master_weights").half(),
        Setting::new("optimizer.weight_decay"),
        Setting::new("optimizer.relative_step"),
        Setting::new("optimizer.rank")
            .steps(POWERS)
            .absent(Called(Word::Automatic)),
        Setting::new("optimizer.bf16_stochastic_round"),
        Setting::new("optimizer.by_trainer"),
    ],
};

/// The samples of a step and the objective.
static SEQUENCE: Group = Group {
    id: "group-sequence",
    title: Word::GroupSequence,
    note: None,
    settings: &[
        Setting::new("task").absent(Called(Word::Automatic)).half(),
        Setting::new("loss").half(),
        Setting::new("target_seq_len")
            .steps(LENGTHS)
            .absent(As("seq_len")),
        Setting::new("images").steps(FEW_OR_NONE),
        Setting::new("image_size")
            .absent(Called(Word::Automatic))
            .note(images),
        Setting::new("min_pixels")
            .steps(PIXELS)
            .absent(Called(Word::Automatic)),
        Setting::new("max_pixels")
            .steps(PIXELS)
            .absent(Called(Word::Automatic)),
        Setting::new("dataset.length_mean")
            .steps(LENGTHS)
            .absent(As("seq_len")),
        Setting::new("dataset.lengths").absent(Called(Word::Off)),
        Setting::new("dataloader.group_by_length"),
        Setting::new("packing.kind").half(),
        Setting::new("packing.sequences").steps(FEW),
        Setting::new("pad_to_multiple_of")
            .steps(POWERS)
            .absent(Is(1)),
        Setting::new("padding_mask")
            .absent(Called(Word::Automatic))
            .half(),
        Setting::new("objective.kind").half(),
        Setting::new("objective.completion_tokens")
            .steps(LENGTHS)
            .absent(As("seq_len")),
        Setting::new("objective.loss_type")
            .look(Look::Choice(losses))
            .absent(Called(Word::Automatic))
            .half(),
        Setting::new("objective.beta")
            .look(Look::Shares(SHARES))
            .absent(Called(Word::Automatic)),
        Setting::new("objective.log_probs")
            .absent(Called(Word::Automatic))
            .half(),
        Setting::new("objective.precompute_ref_log_probs"),
        Setting::new("objective.teacher")
            .look(Look::Choice(teachers))
            .absent(Called(Word::LikeTheModel)),
        Setting::new("objective.teacher_dtype")
            .absent(Called(Word::LikeTheModel))
            .half(),
        Setting::new("objective.generation").half(),
        Setting::new("objective.num_iterations").steps(FEW),
        Setting::new("objective.vllm_gpu_memory_utilization").look(Look::Shares(SHARES)),
        Setting::new("neftune_noise_alpha").absent(Called(Word::Off)),
    ],
};

/// An evaluation beside the training, or alone.
static EVALUATION: Group = Group {
    id: "group-evaluation",
    title: Word::GroupEvaluation,
    note: None,
    settings: &[
        Setting::new("program").half(),
        Setting::new("evaluation.kind").half(),
        Setting::new("evaluation.micro_batch_size")
            .steps(BATCH_SIZES)
            .absent(As("micro_batch_size")),
        Setting::new("evaluation.batches").steps(COUNTS),
        Setting::new("evaluation.keep_predictions"),
        Setting::new("evaluation.accumulation_steps")
            .steps(POWERS)
            .absent(Called(Word::Never)),
        Setting::new("evaluation.logits_to_keep")
            .steps(POWERS)
            .absent(Called(Word::Everything)),
        Setting::new("evaluation.max_new_tokens").steps(POWERS),
        Setting::new("evaluation.num_beams").steps(FEW),
        Setting::new("evaluation.do_sample"),
        Setting::new("evaluation.use_cache").absent(Called(Word::Automatic)),
    ],
};

/// Details of the model and of its types.
static MODEL: Group = Group {
    id: "group-model",
    title: Word::GroupModel,
    note: None,
    settings: &[
        Setting::new("sdpa_backend")
            .absent(Called(Word::Automatic))
            .half(),
        Setting::new("weights")
            .absent(Called(Word::Automatic))
            .half(),
        Setting::new("autocast_style").half(),
        Setting::new("use_cache"),
        Setting::new("keep_outputs"),
        Setting::new("tied_embeddings").absent(Called(Word::Automatic)),
        Setting::new("model_overrides"),
        Setting::new("symbols"),
        Setting::new("layer_modules").look(Look::Names),
        Setting::new("convolutions"),
    ],
};

/// Settings that take computation or time and save memory.
static SAVERS: Group = Group {
    id: "group-savers",
    title: Word::GroupSavers,
    note: None,
    settings: &[
        Setting::new("checkpoint_every").steps(FEW),
        Setting::new("selective.save").look(Look::Names),
        Setting::new("selective.every_second_mm"),
        Setting::new("liger_kernel").look(Look::Names),
        Setting::new("implementation")
            .absent(Called(Word::Automatic))
            .half(),
        Setting::new("wide_embeddings"),
        Setting::new("liger_version")
            .absent(Called(Word::Automatic))
            .half(),
        Setting::new("offload.optimizer_states"),
        Setting::new("offload.gradients"),
        Setting::new("offload.activations"),
        Setting::new("activation_offload.kind"),
        Setting::new("activation_offload.streams"),
    ],
};

/// The data set, and how data and weights enter the process.
static DATA: Group = Group {
    id: "group-data",
    title: Word::GroupData,
    note: None,
    settings: &[
        Setting::new("dataset.mode"),
        Setting::new("dataset.raw_bytes").steps(SIZES),
        Setting::new("dataloader.num_workers").steps(FEW_OR_NONE),
        Setting::new("dataloader.prefetch_factor").steps(FEW),
        Setting::new("dataloader.pin_memory"),
        Setting::new("dataloader.persistent_workers"),
        Setting::new("dataloader.shuffle"),
        Setting::new("dataloader.multiprocessing_context").half(),
        Setting::new("dataset.arrow_pool").half(),
        Setting::new("dataset.rows").steps(COUNTS),
        Setting::new("dataset.columns").steps(FEW),
        Setting::new("dataset.epochs").steps(FEW_OR_NONE),
        Setting::new("dataset.file_bytes")
            .steps(SIZES)
            .absent(Called(Word::Automatic)),
        Setting::new("dataset.row_group_bytes")
            .steps(SIZES)
            .absent(Called(Word::Automatic)),
        Setting::new("around.loading").half(),
        Setting::new("around.saving"),
        Setting::new("host.checkpoint")
            .absent(Called(Word::Automatic))
            .half(),
        Setting::new("host.saving").absent(Called(Word::Automatic)),
    ],
};

/// The machine and the processes on it.
static MACHINE: Group = Group {
    id: "group-machine",
    title: Word::GroupHost,
    note: None,
    settings: &[
        Setting::new("hardware.processes_per_gpu").steps(FEW),
        Setting::new("hardware.processes_by_gpu")
            .absent(Called(Word::SameOnAll))
            .half(),
        Setting::new("hardware.host_ram").steps(SIZES),
        Setting::new("hardware.swap").steps(SIZES),
        Setting::new("hardware.gpu_memory")
            .steps(SIZES)
            .absent(Called(Word::Automatic)),
        Setting::new("hardware.gpu_memory_in_use").steps(SIZES),
        Setting::new("other_device_memory").steps(SIZES),
        Setting::new("host.libraries").half(),
        Setting::new("host.tokenizer").half(),
        Setting::new("host.launcher")
            .absent(Called(Word::Automatic))
            .half(),
        Setting::new("host.cuda"),
        Setting::new("host.other_memory").steps(SIZES),
    ],
};

/// Versions of frameworks, and their allocator.
static VERSIONS: Group = Group {
    id: "group-allocator",
    title: Word::GroupAllocator,
    note: None,
    settings: &[
        Setting::new("framework"),
        Setting::new("allocator.expandable_segments"),
        Setting::new("allocator.max_split_size_mb")
            .steps(SPLITS)
            .absent(Called(Word::NoLimit)),
        Setting::new("allocator.roundup_power2_divisions").absent(Called(Word::Off)),
        Setting::new("allocator.garbage_collection_threshold")
            .look(Look::Shares(SHARES))
            .absent(Called(Word::Off)),
        Setting::new("allocator.empty_cache_after_loading"),
        Setting::new("cublas_workspace_config").absent(Called(Word::Automatic)),
        Setting::new("memory_limit")
            .steps(SIZES)
            .absent(Called(Word::NoLimit)),
    ],
};

/// The sentence about the tokens of images.
fn images(scenario: &Scenario, language: Language) -> Option<String> {
    image_tokens(scenario).map(|of| image_tokens_sentence(&of, language))
}

fn accelerators(_: &Scenario, _: Language) -> Vec<Choice> {
    let all = ACCELERATORS.iter();
    all.map(|accelerator| Choice::new(accelerator.id.to_owned(), accelerator.name))
        .collect()
}

/// The losses of an objective, and one that is asked for all the same.
fn losses(scenario: &Scenario, _: Language) -> Vec<Choice> {
    let mut names = offers(scenario, "objective.loss_type");
    let asked = scenario.objective.loss_type.map(LossType::name);
    if let Some(asked) = asked.filter(|asked| !names.iter().any(|name| name == asked)) {
        names.push(asked.to_owned());
    }
    let choice = |name: String| Choice::new(name.clone(), &name);
    names.into_iter().map(choice).collect()
}

/// The implementations of the optimizer in use, and the scenario's own.
fn implementations(scenario: &Scenario, language: Language) -> Vec<Choice> {
    const KEY: &str = "optimizer.impl";
    let mut names = offers(scenario, KEY);
    let asked = scenario.optimizer.implementation.name().to_owned();
    if !names.contains(&asked) {
        names.push(asked);
    }
    let choice = |name: String| {
        let label = value_name(KEY, &name, language).unwrap_or_default();
        Choice::new(name, label)
    };
    names.into_iter().map(choice).collect()
}

/// The models of the catalog with the model's vocabulary, and the teacher that is asked for.
fn teachers(scenario: &Scenario, _: Language) -> Vec<Choice> {
    let mut names = offers(scenario, "objective.teacher");
    if let Some(ModelRef::Catalog(asked)) = &scenario.objective.teacher
        && !names.contains(asked)
    {
        names.push(asked.clone());
    }
    let choice = |id: String| {
        let name = catalog_model(&id).map(|model| model.name);
        Choice::new(id.clone(), name.unwrap_or(&id))
    };
    names.into_iter().map(choice).collect()
}
