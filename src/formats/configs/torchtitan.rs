//! torchtitan's TOML, or arguments named like its keys.

use super::format::{Format, Phrases, Syntax};
use super::hub;
use super::job::{Job, Matters, Wrapper};
use super::row::As::{Count, Flag, Name, Not, Positive};
use super::row::Does::{Decides, File, Lacks, Reads, Sets};
use super::row::{Lack, Row};
use super::said::Said;
use super::value;

const SOURCE: &str = "config/job_config.py, torchtitan 0.2.1";

const BESIDE: &str = "not estimated beside a pipeline";

const IMPLEMENTATIONS: &[(&str, &str)] = &[
    ("for-loop", "for_loop"),
    ("foreach", "foreach"),
    ("fused", "fused"),
];
const ROTATIONS: &[(&str, &str)] = &[("allgather", "allgather"), ("alltoall", "alltoall")];
const SCHEDULES: &[(&str, &str)] = &[
    ("1F1B", "1f1b"),
    ("GPipe", "gpipe"),
    ("Interleaved1F1B", "interleaved"),
    ("LoopedBFS", "looped_bfs"),
    ("InterleavedZeroBubble", "izb"),
    ("ZBVZeroBubble", "zbv"),
    ("DualPipeV", "dualpipev"),
];
const OPTIMIZERS: &[(&str, &str)] = &[("AdamW", "adamw"), ("Adam", "adam")];

/// `JobConfig` (`config/job_config.py`, torchtitan 0.2.1, and spellings since 0.1).
const ROWS: &[Row] = &[
    ("job.config_file", File),
    ("model.name", Decides("model")),
    ("model.flavor", Decides("model")),
    ("model.converters", Decides("precision")),
    (
        "training.local_batch_size",
        Reads("micro_batch_size", Count),
    ),
    ("training.batch_size", Decides("micro_batch_size")),
    (
        "training.global_batch_size",
        Decides("gradient_accumulation_steps"),
    ),
    ("training.seq_len", Sets("seq_len", Count)),
    ("training.max_norm", Sets("clip_grad_norm", Positive)),
    ("training.dtype", Decides("precision")),
    (
        "training.mixed_precision_param",
        Decides("parallelism.dp.mixed_precision.param"),
    ),
    (
        "training.mixed_precision_reduce",
        Decides("parallelism.dp.mixed_precision.reduce"),
    ),
    (
        "training.enable_cpu_offload",
        Sets("parallelism.dp.cpu_offload", Flag),
    ),
    ("training.compile", Lacks(Lack::Compile)),
    (
        "training.data_parallel_shard_degree",
        Decides("parallelism.dp.shard_size"),
    ),
    (
        "training.data_parallel_replicate_degree",
        Decides("parallelism.dp.replicate_size"),
    ),
    (
        "training.tensor_parallel_degree",
        Decides("parallelism.tp.size"),
    ),
    (
        "training.dataloader.num_workers",
        Sets("dataloader.num_workers", Count),
    ),
    (
        "training.dataloader.pin_memory",
        Sets("dataloader.pin_memory", Flag),
    ),
    (
        "training.dataloader.prefetch_factor",
        Sets("dataloader.prefetch_factor", Count),
    ),
    (
        "training.dataloader.persistent_workers",
        Sets("dataloader.persistent_workers", Flag),
    ),
    ("optimizer.name", Sets("optimizer.name", Name(OPTIMIZERS))),
    (
        "optimizer.implementation",
        Sets("optimizer.impl", Name(IMPLEMENTATIONS)),
    ),
    (
        "optimizer.early_step_in_backward",
        Sets("optimizer.in_backward", Flag),
    ),
    (
        "activation_checkpoint.mode",
        Decides("activation_checkpointing"),
    ),
    (
        "activation_checkpoint.selective_ac_option",
        Decides("activation_checkpointing checkpoint_every selective.every_second_mm"),
    ),
    (
        "activation_checkpoint.memory_budget",
        Lacks(Lack::Checkpointing),
    ),
    (
        "parallelism.data_parallel_shard_degree",
        Decides("parallelism.dp.shard_size"),
    ),
    (
        "parallelism.data_parallel_replicate_degree",
        Reads("parallelism.dp.replicate_size", Count),
    ),
    (
        "parallelism.fsdp_reshard_after_forward",
        Decides("parallelism.dp.reshard_after_forward parallelism.dp.reshard_root_after_forward"),
    ),
    (
        "parallelism.tensor_parallel_degree",
        Reads("parallelism.tp.size", Count),
    ),
    (
        "parallelism.disable_loss_parallel",
        Sets("parallelism.tp.loss_parallel", Not),
    ),
    (
        "parallelism.enable_async_tensor_parallel",
        Lacks(Lack::Parallelism),
    ),
    (
        "parallelism.pipeline_parallel_degree",
        Reads("parallelism.pp.size", Count),
    ),
    (
        "parallelism.pipeline_parallel_schedule",
        Reads("parallelism.pp.schedule", Name(SCHEDULES)),
    ),
    (
        "parallelism.pipeline_parallel_microbatch_size",
        Decides("parallelism.pp.microbatches"),
    ),
    (
        "parallelism.pipeline_parallel_layers_per_stage",
        Lacks(Lack::Parallelism),
    ),
    (
        "parallelism.pipeline_parallel_schedule_csv",
        Lacks(Lack::Parallelism),
    ),
    (
        "parallelism.context_parallel_degree",
        Reads("parallelism.cp.size", Count),
    ),
    (
        "parallelism.context_parallel_rotate_method",
        Sets("parallelism.cp.rotate", Name(ROTATIONS)),
    ),
    (
        "parallelism.expert_parallel_degree",
        Reads("parallelism.ep.size", Count),
    ),
    (
        "parallelism.expert_tensor_parallel_degree",
        Lacks(Lack::Parallelism),
    ),
    (
        "experimental.pipeline_parallel_degree",
        Decides("parallelism.pp.size"),
    ),
    (
        "experimental.context_parallel_degree",
        Decides("parallelism.cp.size"),
    ),
    ("compile.enable", Lacks(Lack::Compile)),
    ("validation.enable", Decides("evaluation.kind")),
    (
        "validation.local_batch_size",
        Reads("evaluation.micro_batch_size", Count),
    ),
    ("checkpoint.async_mode", Lacks(Lack::Offload)),
    ("encoder.*", Lacks(Lack::Model)),
    ("data.*", Lacks(Lack::Data)),
    ("fault_tolerance.enable", Lacks(Lack::Parallelism)),
];

const WITHOUT_MEMORY: &[&str] = &[
    "quantize.*",
    "float8.*",
    "mx.*",
    "model.hf_assets_path",
    "job.*",
    "profiling.*",
    "metrics.*",
    "checkpoint.*",
    "lr_scheduler.*",
    "optimizer.*",
    "training.dataset*",
    "training.steps",
    "training.warmup_steps",
    "training.gc_*",
    "training.seed",
    "training.deterministic",
    "comm.*",
    "validation.*",
    "compile.*",
    "activation_checkpoint.*",
    "memory_estimation.*",
    "fault_tolerance.*",
    "experimental.*",
    "debug.*",
    "model.tokenizer_path",
    "model.print_after_conversion",
    "model.norm_type",
    "training.classifier*",
    "training.img_size",
    "training.test_mode",
    "training.random_seed",
    "parallelism.pipeline_parallel_split_points",
    "parallelism.module_fqns_per_model_part",
    "parallelism.pipeline_parallel_*",
    "parallelism.expert_parallel_comm_backend",
    "inference.*",
];

const PHRASES: &[Phrases] = &[
    Phrases {
        about: &[
            "activation_checkpointing",
            "checkpoint_every",
            "selective.every_second_mm",
        ],
        ways: &[
            r#"{"activation_checkpoint": {"mode": "none"}}"#,
            r#"{"activation_checkpoint": {"mode": "full"}}"#,
            r#"{"activation_checkpoint": {"mode": "selective", "selective_ac_option": "2"}}"#,
            r#"{"activation_checkpoint": {"mode": "selective", "selective_ac_option": "3"}}"#,
            r#"{"activation_checkpoint": {"mode": "selective", "selective_ac_option": "4"}}"#,
            r#"{"activation_checkpoint": {"mode": "selective", "selective_ac_option": "op"}}"#,
        ],
    },
    Phrases {
        about: &[
            "parallelism.dp.reshard_after_forward",
            "parallelism.dp.reshard_root_after_forward",
        ],
        ways: &[
            "{}",
            r#"{"parallelism": {"fsdp_reshard_after_forward": "never"}}"#,
            r#"{"parallelism": {"fsdp_reshard_after_forward": "always"}}"#,
        ],
    },
    Phrases {
        about: &[
            "precision",
            "parallelism.dp.mixed_precision.param",
            "parallelism.dp.kind",
        ],
        ways: &[
            "{}",
            r#"{"training": {"mixed_precision_param": "float32"}}"#,
            r#"{"training": {"dtype": "bfloat16"}}"#,
        ],
    },
    Phrases {
        about: &["evaluation.kind"],
        ways: &["{}", r#"{"validation": {"enable": true}}"#],
    },
];

pub(super) const FORMAT: Format = Format {
    name: "torchtitan",
    rows: &[ROWS],
    without_memory: &[WITHOUT_MEMORY],
    telling: &[
        "model.flavor",
        "training.local_batch_size",
        "training.seq_len",
        "parallelism.data_parallel_shard_degree",
        "parallelism.tensor_parallel_degree",
        "activation_checkpoint.mode",
        "job.dump_folder",
        "metrics.log_freq",
        "training.steps",
    ],
    finish,
    syntax: Syntax::Toml,
    phrases: &[PHRASES],
};

fn finish(said: &Said, job: &mut Job) {
    let text = |name: &str| said.get(name).and_then(value::text);
    let name = text("model.name").unwrap_or_else(|| "llama3".to_owned());
    let flavor = text("model.flavor").unwrap_or_else(|| "debugmodel".to_owned());
    match hub::torchtitan_model(&name, &flavor) {
        Some(model) => job.set("model", model),
        None => job.give_up(said, "model.flavor", Matters::Value),
    }
    let converters = said.list("model.converters").join(" ").to_ascii_lowercase();
    if converters.contains("float8") || converters.contains("mx") {
        job.give_up(said, "model.converters", Matters::Yes(Lack::Fp8));
    }
    checkpointing(said, job);
    let degree = |names: [&str; 3]| names.iter().find_map(|name| said.count(name));
    let tp = degree([
        "parallelism.tensor_parallel_degree",
        "training.tensor_parallel_degree",
        "",
    ]);
    let tp = tp.unwrap_or(1).max(1);
    if tp > 1 {
        job.set("parallelism.tp.size", tp);
        job.set("parallelism.tp.sequence_parallel", true);
        if said
            .count("parallelism.pipeline_parallel_degree")
            .unwrap_or(1)
            > 1
        {
            job.remove("parallelism.tp.loss_parallel");
            job.assume("parallelism.tp.loss_parallel", false, BESIDE);
        } else if job.get("parallelism.tp.loss_parallel").is_none() {
            job.set("parallelism.tp.loss_parallel", true);
        }
    } else {
        job.remove("parallelism.tp");
    }
    let cp = degree([
        "parallelism.context_parallel_degree",
        "experimental.context_parallel_degree",
        "",
    ]);
    let cp = cp.unwrap_or(1).max(1);
    if cp > 1 {
        job.set("parallelism.cp.size", cp);
    } else {
        job.remove("parallelism.cp");
    }
    if let Some(ep) = said
        .count("parallelism.expert_parallel_degree")
        .filter(|ep| *ep > 1)
    {
        job.set("parallelism.ep.size", ep);
    }
    if let Some(copies) = said
        .count("parallelism.data_parallel_replicate_degree")
        .filter(|n| *n > 1)
    {
        job.set("parallelism.dp.replicate_size", copies);
    }
    pipeline(said, job);
    batch(said, tp * cp, job);
    // `apply_fsdp`: embeddings by themselves, norm and head together.
    job.set("parallelism.dp.wrap_embeddings", true);
    match said
        .word("parallelism.fsdp_reshard_after_forward")
        .as_deref()
    {
        Some("never") => job.set("parallelism.dp.reshard_after_forward", false),
        Some("always") => job.set("parallelism.dp.reshard_root_after_forward", true),
        _ if job.get("parallelism.pp.size").is_some() => {
            job.set("parallelism.dp.reshard_after_forward", false);
        }
        _ => {}
    }
    if said.is_on("validation.enable") {
        job.set("evaluation.kind", "loss");
        let batch = said.count("validation.local_batch_size");
        job.set("evaluation.micro_batch_size", batch.unwrap_or(8));
    }
    // Others are transformers' modules here, as are models that ranks divide.
    let divides = ["tp.size", "cp.size", "pp.size"]
        .map(|size| job.get(&format!("parallelism.{size}")).is_some());
    if name == "llama3" && divides == [false; 3] {
        job.set("implementation", "torchtitan");
    } else {
        job.give_up(said, "model.flavor", Matters::Yes(Lack::Model));
    }
    precision(said, job);
    job.several = Some(Wrapper::Fsdp2);
    job.needs_gpus = true;
    job.set("host.libraries", "torch_datasets");
    job.set("host.checkpoint", "random_init");
    job.assume("seq_len", 2048, SOURCE);
    job.assume("optimizer.name", "adamw", SOURCE);
    job.assume("optimizer.impl", "fused", SOURCE);
    job.assume("clip_grad_norm", true, SOURCE);
    job.assume("dataloader.num_workers", 0, SOURCE);
    job.assume("dataloader.pin_memory", false, SOURCE);
}

/// fp32 weights that FSDP gathers in bfloat16, and autocast without FSDP (`maybe_enable_amp`).
fn precision(said: &Said, job: &mut Job) {
    let is = |key: &str, name: &str| said.word(key).as_deref() == Some(name);
    job.loaded = Some(if is("training.dtype", "bfloat16") {
        "bf16"
    } else {
        "fp32"
    });
    if !is("training.mixed_precision_param", "float32") && job.loaded == Some("fp32") {
        job.mixed = Some(super::job::Half::Bf16);
        job.casts_by_fsdp_alone = true;
    }
}

/// All layers, every n-th, or each operation by operation: attention and every second matrix product are kept
/// (`distributed/activation_checkpoint.py`, torchtitan 0.2.1).
fn checkpointing(said: &Said, job: &mut Job) {
    let mode = said.word("activation_checkpoint.mode");
    match mode.as_deref() {
        Some("none") => {}
        Some("full") => job.set("activation_checkpointing", "full"),
        None | Some("selective") => {
            let option = said.word("activation_checkpoint.selective_ac_option");
            let option = option.as_deref().unwrap_or("2");
            match option.parse::<u64>() {
                Ok(every) if every > 0 => {
                    job.set("activation_checkpointing", "full");
                    job.set("checkpoint_every", every);
                }
                _ if option == "op" => {
                    job.set("activation_checkpointing", "operations");
                    job.set("selective.every_second_mm", true);
                }
                _ => job.give_up(
                    said,
                    "activation_checkpoint.selective_ac_option",
                    Matters::Yes(Lack::Checkpointing),
                ),
            }
        }
        Some(_) => job.give_up(
            said,
            "activation_checkpoint.mode",
            Matters::Yes(Lack::Checkpointing),
        ),
    }
}

fn pipeline(said: &Said, job: &mut Job) {
    let degree = [
        "parallelism.pipeline_parallel_degree",
        "experimental.pipeline_parallel_degree",
    ];
    let size = degree.iter().find_map(|name| said.count(name)).unwrap_or(1);
    if size <= 1 {
        return;
    }
    job.set("parallelism.pp.size", size);
    job.set("parallelism.pp.return_outputs", false);
    let schedule = said.get("parallelism.pipeline_parallel_schedule");
    match schedule.and_then(|given| Name(SCHEDULES).read(given)) {
        Some(own) => job.set("parallelism.pp.schedule", own),
        None if schedule.is_some() => {
            job.give_up(
                said,
                "parallelism.pipeline_parallel_schedule",
                Matters::Value,
            );
        }
        None => {}
    }
}

/// Samples of a step on one rank: micro-batches of a pipeline, or one batch.
fn batch(said: &Said, model_ranks: u64, job: &mut Job) {
    let local = said.first(&["training.local_batch_size", "training.batch_size"]);
    let local = local.and_then(value::count).unwrap_or(8);
    if job.get("parallelism.pp.size").is_some() {
        let each = said
            .count("parallelism.pipeline_parallel_microbatch_size")
            .unwrap_or(1)
            .max(1);
        job.set("micro_batch_size", each);
        job.set("parallelism.pp.microbatches", (local / each).max(1));
        return;
    }
    if said.has("training.local_batch_size") || said.has("training.batch_size") {
        job.set("micro_batch_size", local);
    } else {
        job.assume("micro_batch_size", 8, SOURCE);
    }
    job.global_batch = said
        .count("training.global_batch_size")
        .map(|all| (all, model_ranks));
    if job.global_batch.is_some() {
        // Each micro-batch reduces its gradients (`train_step`).
        job.set("parallelism.dp.no_sync", false);
    }
}
