//! Hugging Face's `TrainingArguments`, as JSON, YAML or arguments.

use super::format::{Format, Phrases, Syntax};
use super::hub;
use super::hugging_face::{self, FSDP, FSDP_WITHOUT_MEMORY, LOADER, OPTIM};
use super::job::{Job, Matters, Wrapper};
use super::row::As::{self, Count, Flag, Is, Name, Real, Within};
use super::row::Does::{Decides, File, Lacks, Reads, Sets};
use super::row::{Lack, Row};
use super::said::Said;

pub(super) const SOURCE: &str = "training_args.py, transformers 5.24";
const LOADING: &str = "from_pretrained keeps the dtype of the file, transformers 5.24";

const BY_LENGTH: As = Is("group_by_length", "random");

const CONTEXTS: &[(&str, &str)] = &[
    ("fork", "fork"),
    ("spawn", "spawn"),
    ("forkserver", "forkserver"),
];

/// The keys of `TrainingArguments` (transformers 5.24, and spellings since 4.0).
pub(super) const ROWS: &[Row] = &[
    (
        "per_device_train_batch_size",
        Sets("micro_batch_size", Count),
    ),
    ("per_gpu_train_batch_size", Sets("micro_batch_size", Count)),
    (
        "gradient_accumulation_steps",
        Sets("gradient_accumulation_steps", Count),
    ),
    ("bf16", Decides("precision weights")),
    ("fp16", Decides("precision weights")),
    ("pure_bf16", Decides("precision weights")),
    ("optim", Decides("optimizer.name optimizer.impl")),
    ("optim_args", Reads("optimizer.rank", Within("rank"))),
    ("optim_target_modules", Decides("optimizer.name")),
    (
        "activation_checkpointing",
        Decides("activation_checkpointing"),
    ),
    (
        "activation_checkpointing_kwargs.use_reentrant",
        Decides("activation_checkpointing"),
    ),
    (
        "activation_checkpointing_kwargs.every_n_layers",
        Sets("checkpoint_every", Count),
    ),
    (
        "activation_checkpointing_kwargs.selective",
        Lacks(Lack::Checkpointing),
    ),
    (
        "gradient_checkpointing",
        Decides("activation_checkpointing"),
    ),
    (
        "gradient_checkpointing_kwargs.use_reentrant",
        Decides("activation_checkpointing"),
    ),
    (
        "gradient_checkpointing_kwargs.every_n_layers",
        Sets("checkpoint_every", Count),
    ),
    (
        "gradient_checkpointing_kwargs.selective",
        Lacks(Lack::Checkpointing),
    ),
    (
        "gradient_checkpointing_kwargs.use_cache",
        Sets("use_cache", Flag),
    ),
    ("use_liger_kernel", Decides("liger_kernel")),
    ("liger_kernel_config.*", Decides("liger_kernel")),
    ("use_cache", Sets("use_cache", Flag)),
    ("eval_strategy", Decides("evaluation.kind")),
    ("evaluation_strategy", Decides("evaluation.kind")),
    ("do_eval", Decides("evaluation.kind")),
    (
        "per_device_eval_batch_size",
        Reads("evaluation.micro_batch_size", Count),
    ),
    (
        "eval_accumulation_steps",
        Reads("evaluation.accumulation_steps", Count),
    ),
    (
        "prediction_loss_only",
        Decides("evaluation.keep_predictions"),
    ),
    ("compute_metrics", Decides("evaluation.keep_predictions")),
    (
        "preprocess_logits_for_metrics",
        Decides("evaluation.keep_predictions"),
    ),
    ("weight_decay", Decides("optimizer.weight_decay")),
    ("predict_with_generate", Lacks(Lack::Data)),
    ("auto_find_batch_size", Lacks(Lack::Data)),
    (
        "dataloader_multiprocessing_context",
        Sets("dataloader.multiprocessing_context", Name(CONTEXTS)),
    ),
    ("num_train_epochs", Sets("dataset.epochs", Count)),
    ("torch_empty_cache_steps", Lacks(Lack::Data)),
    ("neftune_noise_alpha", Sets("neftune_noise_alpha", Real)),
    ("label_smoothing_factor", Lacks(Lack::Loss)),
    ("torch_compile_backend", Lacks(Lack::Compile)),
    ("torch_compile_mode", Lacks(Lack::Compile)),
    ("parallelism_config.*", Lacks(Lack::Parallelism)),
    ("fsdp", Decides("parallelism.dp.kind")),
    ("fsdp_config", File),
    ("deepspeed", File),
    ("config", File),
    (
        "train_sampling_strategy",
        Sets("dataloader.group_by_length", BY_LENGTH),
    ),
    ("group_by_length", Sets("dataloader.group_by_length", Flag)),
    ("save_strategy", Decides("around.saving")),
    ("use_cpu", Decides("host.cuda")),
];

pub(super) const WITHOUT_MEMORY: &[&str] = &[
    "output_dir",
    "overwrite_output_dir",
    "max_steps",
    "learning_rate",
    "lr_scheduler*",
    "warmup_*",
    "adam_*",
    "average_tokens_across_devices",
    "tf32",
    "bf16_full_eval",
    "fp16_full_eval",
    "logging_*",
    "include_num_input_tokens_seen",
    "log_*",
    "disable_tqdm",
    "report_to",
    "run_name",
    "project",
    "trackio_*",
    "eval_steps",
    "eval_delay",
    "eval_on_start",
    "eval_do_concat_batches",
    "eval_use_gather_object",
    "include_for_metrics",
    "batch_eval_metrics",
    "save_*",
    "enable_jit_checkpoint",
    "push_to_hub*",
    "hub_*",
    "load_best_model_at_end",
    "metric_for_best_model",
    "greater_is_better",
    "ignore_data_skip",
    "restore_callback_states_from_checkpoint",
    "full_determinism",
    "seed",
    "data_seed",
    "accelerator_config*",
    "dataloader_drop_last",
    "dataloader_in_order",
    "remove_unused_columns",
    "label_names",
    "length_column_name",
    "ddp_broadcast_buffers",
    "ddp_backend",
    "ddp_timeout",
    "debug",
    "skip_memory_metrics",
    "do_train",
    "do_predict",
    "resume_from_checkpoint",
    "local_rank",
    "gradient_checkpointing_kwargs",
    "activation_checkpointing_kwargs",
    "half_precision_backend",
    "fp16_opt_level",
    "fp16_backend",
    "no_cuda",
    "jit_mode_eval",
    "use_ipex",
    "past_index",
    "tpu_*",
    "mp_parameters",
    "ray_scope",
    "include_inputs_for_metrics",
    "include_tokens_per_second",
    "split_batches",
    "wandb_*",
    "torch_compile_options",
    "dispatch_batches",
    "eval_on_each_node",
    "liger_kernel_config",
    "fsdp_transformer_layer_cls_to_wrap",
    "use_legacy_prediction_loop",
    "trust_remote_code",
    "cache_dir",
    "trial_name",
];

/// Phrases of all formats on `TrainingArguments`.
pub(super) const PHRASES: &[Phrases] = &[
    Phrases {
        about: &["optimizer.name", "optimizer.impl"],
        ways: OPTIM,
    },
    Phrases {
        about: &["parallelism.dp.kind"],
        ways: &[
            "{}",
            r#"{"fsdp": true, "fsdp_config": {"version": 2}}"#,
            r#"{"fsdp": true, "fsdp_config": {"version": 1}}"#,
        ],
    },
    Phrases {
        about: &[
            "parallelism.dp.reshard_after_forward",
            "parallelism.dp.sharding_strategy",
        ],
        ways: &[
            "{}",
            r#"{"fsdp_config": {"reshard_after_forward": false}}"#,
            r#"{"fsdp_config": {"reshard_after_forward": "shard_grad_op"}}"#,
            r#"{"fsdp_config": {"reshard_after_forward": "hybrid_shard"}}"#,
            r#"{"fsdp_config": {"reshard_after_forward": "hybrid_shard_zero2"}}"#,
            r#"{"fsdp_config": {"reshard_after_forward": "no_shard"}}"#,
        ],
    },
    Phrases {
        about: &["activation_checkpointing"],
        ways: &[
            r#"{"gradient_checkpointing": true}"#,
            r#"{"gradient_checkpointing": false}"#,
            r#"{"gradient_checkpointing": true, "gradient_checkpointing_kwargs": {"use_reentrant": false}}"#,
            r#"{"gradient_checkpointing": true, "gradient_checkpointing_kwargs": {"use_reentrant": true}}"#,
            "{}",
        ],
    },
    Phrases {
        about: &["evaluation.kind"],
        ways: &["{}", r#"{"eval_strategy": "steps"}"#],
    },
    Phrases {
        about: &["liger_kernel"],
        ways: &["{}", r#"{"use_liger_kernel": true}"#],
    },
    Phrases {
        about: &["around.saving"],
        ways: &["{}", r#"{"save_strategy": "no"}"#],
    },
];

const PRECISIONS: &[Phrases] = &[Phrases {
    about: &[
        "precision",
        "weights",
        "parallelism.dp.mixed_precision.param",
    ],
    ways: &["{}", r#"{"bf16": true}"#, r#"{"fp16": true}"#],
}];

pub(super) const FORMAT: Format = Format {
    name: "training-arguments",
    rows: &[ROWS, LOADER, FSDP],
    without_memory: &[WITHOUT_MEMORY, FSDP_WITHOUT_MEMORY],
    telling: &[
        "per_device_train_batch_size",
        "num_train_epochs",
        "per_device_eval_batch_size",
        "dataloader_num_workers",
        "gradient_checkpointing",
        "save_steps",
    ],
    finish,
    syntax: Syntax::Yaml,
    phrases: &[PHRASES, PRECISIONS],
};

fn finish(said: &Said, job: &mut Job) {
    arguments(said, job, false);
    if job.mixed.is_none_or(|half| half.name() == "bf16") {
        let (value, source) = (hub::dtype_of(job), LOADING);
        if job.loaded.is_none() {
            job.loaded = Some(value);
            let key = "weights".to_owned();
            job.assumed.push(super::job::Assumed {
                key,
                value: value.into(),
                source,
            });
        }
    }
}

/// Reads `TrainingArguments` together, with their defaults.
pub(super) fn arguments(said: &Said, job: &mut Job, checkpoints: bool) {
    // `_process_fsdp_args`: FSDP2 unless said otherwise; FSDP1 in transformers 5.5.
    job.fsdp_version = if job.before_accelerate_1_14 { 1 } else { 2 };
    hugging_face::mixed(said, job);
    if said.is_on("pure_bf16") {
        (job.mixed, job.loaded) = (None, Some("bf16"));
    }
    hugging_face::optimizer(said, "optim", job);
    job.set("optimizer.by_trainer", true);
    let new = said.has("activation_checkpointing");
    let keys = if new {
        [
            "activation_checkpointing",
            "activation_checkpointing_kwargs",
        ]
    } else {
        ["gradient_checkpointing", "gradient_checkpointing_kwargs"]
    };
    hugging_face::checkpointing(said, keys, checkpoints, job);
    if said.is_on("use_liger_kernel") {
        job.set("liger_kernel", kernels(said));
    }
    if said.is_on("use_cpu") {
        job.set("host.cuda", false);
    }
    let strategy = said
        .word("eval_strategy")
        .or_else(|| said.word("evaluation_strategy"));
    let batch = said.count("per_device_eval_batch_size");
    hugging_face::evaluation(said, strategy, batch, job);
    if job.get("evaluation.kind").is_some() {
        job.assume("evaluation.micro_batch_size", 8, SOURCE);
    }
    let fsdp = said.list("fsdp");
    if said.is_on("fsdp") || !fsdp.is_empty() && said.flag("fsdp") != Some(false) {
        fsdp_of_arguments(said, &fsdp, job);
    }
    job.saves = said.word("save_strategy").as_deref() != Some("no");
    job.several = Some(Wrapper::Ddp);
    job.assume("micro_batch_size", 8, SOURCE);
    job.assume("optimizer.name", "adamw", SOURCE);
    if job.get("optimizer.name") == Some(&"adamw".into()) {
        job.assume("optimizer.impl", "fused", SOURCE);
    }
    job.assume("clip_grad_norm", true, SOURCE);
    job.assume("dataloader.num_workers", 0, SOURCE);
    job.assume("autocast_style", "accelerate", SOURCE);
}

/// `_process_fsdp_args` (`training_args.py`, transformers 5.23): it hands neither a strategy nor accelerate's own
/// `offload_params` on, and FSDP1 gathers no parameters ahead in backward unless said.
fn fsdp_of_arguments(said: &Said, words: &[String], job: &mut Job) {
    hugging_face::fsdp(said, job);
    job.remove("parallelism.dp.cpu_offload");
    job.remove("parallelism.dp.sharding_strategy");
    for key in [
        "fsdp_config.offload_params",
        "fsdp_config.sharding_strategy",
    ] {
        job.give_up(said, key, Matters::No);
    }
    let says = |name: &str| words.iter().any(|word| word == name);
    if said.is_on("fsdp_config.cpu_offload") || says("offload") {
        job.set("parallelism.dp.cpu_offload", true);
    }
    if job.wrapper == Some(Wrapper::Fsdp2) {
        if says("shard_grad_op") {
            job.set("parallelism.dp.reshard_after_forward", false);
        }
    } else {
        job.assume("parallelism.dp.backward_prefetch", "none", SOURCE);
    }
}

/// `apply_liger_kernel` (`integrations/liger.py`, transformers 5.24): the library's own choice, but for what
/// `liger_kernel_config` says.
fn kernels(said: &Said) -> Vec<&'static str> {
    if !said.has_within("liger_kernel_config.") {
        return vec!["all"];
    }
    let kernels = [
        ("rope", true),
        ("rms_norm", true),
        ("swiglu", true),
        ("cross_entropy", false),
        ("fused_linear_cross_entropy", true),
    ];
    let is_on = |(name, usual): &(&'static str, bool)| {
        let said = said.flag(&format!("liger_kernel_config.{name}"));
        said.unwrap_or(*usual).then_some(*name)
    };
    kernels.iter().filter_map(is_on).collect()
}
