//! DeepSpeed's JSON. What says `auto` is taken from elsewhere, as `HfTrainerDeepSpeedConfig` takes it
//! (`integrations/deepspeed.py`, transformers 5.24).

use super::format::{Format, Phrases, Syntax};
use super::job::{Half, Job, Matters, Note, Wrapper};
use super::row::As::{Count, Flag, Name, Positive};
use super::row::Does::{Decides, Lacks, Reads, Sets};
use super::row::{Lack, Row};
use super::said::Said;
use super::value;
use serde_json::Value;

const DEVICES: &[(&str, &str)] = &[("cpu", "cpu"), ("none", "none")];

/// `runtime/config.py` and `runtime/zero/config.py` (deepspeed 0.19.8).
const ROWS: &[Row] = &[
    (
        "train_micro_batch_size_per_gpu",
        Reads("micro_batch_size", Count),
    ),
    (
        "gradient_accumulation_steps",
        Reads("gradient_accumulation_steps", Count),
    ),
    ("train_batch_size", Decides("gradient_accumulation_steps")),
    ("gradient_clipping", Sets("clip_grad_norm", Positive)),
    ("bf16.enabled", Decides("precision")),
    ("fp16.enabled", Decides("precision")),
    ("fp16.auto_cast", Lacks(Lack::Data)),
    ("optimizer.type", Decides("optimizer.name optimizer.impl")),
    ("optimizer.params.torch_adam", Decides("optimizer.impl")),
    (
        "zero_optimization.stage",
        Sets("parallelism.dp.stage", Count),
    ),
    (
        "zero_optimization.offload_optimizer.device",
        Sets("parallelism.dp.offload_optimizer", Name(DEVICES)),
    ),
    (
        "zero_optimization.offload_param.device",
        Sets("parallelism.dp.offload_param", Name(DEVICES)),
    ),
    (
        "zero_optimization.offload_optimizer.pin_memory",
        Sets("parallelism.dp.pin_memory", Flag),
    ),
    (
        "zero_optimization.offload_param.pin_memory",
        Sets("parallelism.dp.pin_memory", Flag),
    ),
    (
        "zero_optimization.cpu_offload",
        Decides("parallelism.dp.offload_optimizer"),
    ),
    (
        "zero_optimization.overlap_comm",
        Sets("parallelism.dp.overlap_comm", Flag),
    ),
    (
        "zero_optimization.contiguous_gradients",
        Sets("parallelism.dp.contiguous_gradients", Flag),
    ),
    (
        "zero_optimization.reduce_bucket_size",
        Sets("parallelism.dp.reduce_bucket_size", Count),
    ),
    (
        "zero_optimization.allgather_bucket_size",
        Sets("parallelism.dp.allgather_bucket_size", Count),
    ),
    (
        "zero_optimization.sub_group_size",
        Sets("parallelism.dp.sub_group_size", Count),
    ),
    (
        "zero_optimization.stage3_max_live_parameters",
        Sets("parallelism.dp.stage3_max_live_parameters", Count),
    ),
    (
        "zero_optimization.max_live_parameters",
        Sets("parallelism.dp.stage3_max_live_parameters", Count),
    ),
    (
        "zero_optimization.stage3_max_reuse_distance",
        Sets("parallelism.dp.stage3_max_reuse_distance", Count),
    ),
    (
        "zero_optimization.max_reuse_distance",
        Sets("parallelism.dp.stage3_max_reuse_distance", Count),
    ),
    (
        "zero_optimization.stage3_prefetch_bucket_size",
        Sets("parallelism.dp.stage3_prefetch_bucket_size", Count),
    ),
    (
        "zero_optimization.stage3_param_persistence_threshold",
        Sets("parallelism.dp.stage3_param_persistence_threshold", Count),
    ),
    (
        "zero_optimization.zero_hpz_partition_size",
        Sets("parallelism.dp.zero_hpz_partition_size", Count),
    ),
    (
        "zero_optimization.stage3_gather_16bit_weights_on_model_save",
        Decides("host.saving"),
    ),
    (
        "zero_optimization.stage3_gather_fp16_weights_on_model_save",
        Decides("host.saving"),
    ),
    (
        "zero_optimization.gather_16bit_weights_on_model_save",
        Decides("host.saving"),
    ),
    (
        "zero_optimization.zero_quantized_weights",
        Lacks(Lack::Quantization),
    ),
    (
        "zero_optimization.zero_quantized_gradients",
        Lacks(Lack::Quantization),
    ),
    (
        "zero_optimization.mics_shard_size",
        Lacks(Lack::Parallelism),
    ),
    (
        "zero_optimization.offload_optimizer.ratio",
        Lacks(Lack::Offload),
    ),
    ("tensor_parallel.autotp_size", Lacks(Lack::Parallelism)),
    ("pipeline*", Lacks(Lack::Parallelism)),
    (
        "activation_checkpointing.cpu_checkpointing",
        Lacks(Lack::Offload),
    ),
    (
        "activation_checkpointing.partition_activations",
        Lacks(Lack::Checkpointing),
    ),
    ("compile.deepcompile", Lacks(Lack::Compile)),
    ("autotuning.enabled", Lacks(Lack::Data)),
    ("amp.enabled", Lacks(Lack::Data)),
    ("torch_autocast.enabled", Lacks(Lack::Data)),
    ("data_types.grad_accum_dtype", Lacks(Lack::Data)),
    ("quantize_training.enabled", Lacks(Lack::Quantization)),
    ("data_efficiency.data_routing.enabled", Lacks(Lack::Data)),
];

const WITHOUT_MEMORY: &[&str] = &[
    "_comment",
    "comment",
    "zero_optimization.reduce_scatter",
    "zero_optimization.allgather_partitions",
    "zero_force_ds_cpu_optimizer",
    "seq_parallel_communication_data_type",
    "wall_clock_breakdown",
    "steps_per_print",
    "fp16.*",
    "bf16.*",
    "optimizer.params*",
    "scheduler*",
    "zero_allow_untested_optimizer",
    "autotuning.*",
    "data_efficiency*",
    "prescale_gradients",
    "gradient_predivide_factor",
    "communication_data_type",
    "dump_state",
    "zero_optimization.round_robin_gradients",
    "aio.*",
    "compile.*",
    "zero_optimization.offload_param.*",
    "zero_optimization.offload_optimizer.*",
    "zero_optimization.ignore_unused*",
    "zero_optimization.load_from_fp32_weights",
    "zero_optimization.elastic_checkpoint",
    "flops_profiler*",
    "comms_logger*",
    "checkpoint*",
    "activation_checkpointing.*",
    "tensorboard*",
    "wandb*",
    "csv_monitor*",
    "curriculum_learning*",
    "sparse_gradients",
    "disable_allgather",
    "memory_breakdown",
    "zero_optimization.legacy_stage1",
    "train_steps",
    "zero_optimization.zero_quantized_nontrainable_weights",
    "zero_optimization.mics_*",
    "elasticity*",
    "nebula*",
    "zero_optimization.log_trace_cache_warnings",
    "zero_optimization.use_multi_rank_bucket_allreduce",
    "amp.*",
    "zero_optimization.stage3_use_all_reduce_for_fetch_params",
    "dataloader_drop_last",
    "comms_config*",
    "seed",
    "zero_optimization",
    "zero_optimization.module_granularity_threshold",
    "tensor_parallel*",
    "monitor_config*",
    "use_data_before_expert_parallel*",
];

const PHRASES: &[Phrases] = &[
    Phrases {
        about: &["precision"],
        ways: &[
            r#"{"bf16": {"enabled": true}}"#,
            r#"{"fp16": {"enabled": true}}"#,
            r#"{"bf16": {"enabled": false}}"#,
        ],
    },
    Phrases {
        about: &["optimizer.name", "optimizer.impl"],
        ways: &[
            "{}",
            r#"{"optimizer": {"type": "AdamW", "params": {"torch_adam": true}}}"#,
            r#"{"optimizer": {"type": "AdamW"}}"#,
            r#"{"optimizer": {"type": "Adam"}}"#,
        ],
    },
];

pub(super) const FORMAT: Format = Format {
    name: "deepspeed",
    rows: &[ROWS],
    without_memory: &[WITHOUT_MEMORY],
    telling: &[
        "zero_optimization.*",
        "train_micro_batch_size_per_gpu",
        "train_batch_size",
        "fp16.enabled",
        "bf16.enabled",
        "wall_clock_breakdown",
        "steps_per_print",
    ],
    finish,
    syntax: Syntax::Json,
    phrases: &[PHRASES],
};

fn finish(said: &Said, job: &mut Job) {
    job.wrapper = Some(Wrapper::Zero);
    if said.get("zero_optimization.stage").is_none() {
        // `ZeroStageEnum.disabled`.
        job.assume(
            "parallelism.dp.stage",
            0,
            "runtime/zero/config.py, deepspeed 0.19.8",
        );
    }
    for (key, path) in [
        ("train_micro_batch_size_per_gpu", "micro_batch_size"),
        ("gradient_accumulation_steps", "gradient_accumulation_steps"),
    ] {
        given(said, key, path, job);
    }
    let all = said.count("train_batch_size");
    let steps = said.count("gradient_accumulation_steps");
    if let Some(all) = all.filter(|_| steps.is_none())
        && job.get("gradient_accumulation_steps").is_none()
    {
        job.global_batch = Some((all, 1));
    }
    if said.is_on("bf16.enabled") {
        job.mixed = Some(Half::Bf16);
    } else if said.is_on("fp16.enabled") {
        job.mixed = Some(Half::Fp16);
    } else if said.flag("bf16.enabled") == Some(false)
        && said.word("fp16.enabled").as_deref() != Some("auto")
    {
        job.mixed = None;
    }
    for key in [
        "zero_optimization.offload_optimizer.device",
        "zero_optimization.offload_param.device",
    ] {
        if said.word(key).as_deref() == Some("nvme") {
            let path = if key.contains("param") {
                "offload_param"
            } else {
                "offload_optimizer"
            };
            job.set(&format!("parallelism.dp.{path}"), "cpu");
            job.give_up(said, key, Matters::Yes(Lack::Offload));
        }
    }
    if said.count("zero_optimization.sub_group_size") == Some(0) {
        // Every parameter is a group of its own.
        job.set("parallelism.dp.sub_group_size", 1);
    }
    if said.is_on("zero_optimization.cpu_offload") {
        job.set("parallelism.dp.offload_optimizer", "cpu");
    }
    let saves = said.entries.iter().any(|entry| {
        let gathers = entry.name.ends_with("weights_on_model_save");
        gathers && value::flag(&entry.value) == Some(true)
    });
    if saves {
        job.set("host.saving", "full_state");
    }
    optimizer(said, job);
    sizes(said, job);
}

/// Takes a number that is not `auto`; of two that differ Trainer refuses the job.
fn given(said: &Said, key: &str, path: &str, job: &mut Job) {
    let Some(own) = said.count(key) else { return };
    let assumed = job.assumed.iter().any(|assumed| assumed.key == path);
    match job.count(path) {
        Some(other) if other != own && !assumed => job.notes.push(Note::Differ {
            key: path.to_owned(),
            used: other.to_string(),
            other: own.to_string(),
        }),
        _ => {
            job.assumed.retain(|assumed| assumed.key != path);
            job.set(path, own);
        }
    }
}

/// `_configure_basic_optimizer` (`runtime/engine.py`, deepspeed 0.19.8): `FusedAdam` on the GPU, and its own on
/// the CPU; without an optimizer here, that of the trainer.
fn optimizer(said: &Said, job: &mut Job) {
    match said.word("optimizer.type").as_deref() {
        None => {}
        Some(name @ ("adam" | "adamw")) => {
            let decoupled =
                name == "adamw" || said.flag("optimizer.params.adam_w_mode") != Some(false);
            job.set("optimizer.name", if decoupled { "adamw" } else { "adam" });
            let plain = said.is_on("optimizer.params.torch_adam");
            job.set("optimizer.impl", if plain { "foreach" } else { "fused" });
        }
        Some(_) => job.give_up(said, "optimizer.type", Matters::Yes(Lack::Optimizer)),
    }
}

/// A size by that of the hidden states.
type Rule = fn(u64) -> u64;

/// `trainer_config_finalize`: sizes that follow the model's where they say `auto`.
fn sizes(said: &Said, job: &mut Job) {
    let third = job.count("parallelism.dp.stage") == Some(3);
    let hidden = job
        .get("model")
        .and_then(|model| job.models.hidden_size(model));
    let rules: [(&str, bool, Rule); 3] = [
        ("reduce_bucket_size", true, |h| h.saturating_mul(h)),
        ("stage3_prefetch_bucket_size", third, |h| {
            h.saturating_mul(h).saturating_mul(9) / 10
        }),
        ("stage3_param_persistence_threshold", third, |h| {
            h.saturating_mul(10)
        }),
    ];
    for (name, applies, rule) in rules {
        let key = format!("zero_optimization.{name}");
        let is_auto = said.get(&key).and_then(Value::as_str) == Some("auto");
        if !is_auto || !applies {
            continue;
        }
        match hidden {
            Some(hidden) => job.set(&format!("parallelism.dp.{name}"), rule(hidden)),
            None => job.notes.push(Note::NeedsModel { key }),
        }
    }
}
