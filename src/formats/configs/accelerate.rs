//! accelerate's YAML, and the options of `accelerate launch`, which have the same names.

use super::format::{Format, Phrases, Syntax};
use super::hugging_face::{self, FSDP, FSDP_WITHOUT_MEMORY};
use super::job::{Half, Job, Matters, Wrapper};
use super::row::As::{Count, Name};
use super::row::Does::{Decides, File, Lacks, Reads, Sets};
use super::row::{Lack, Row};
use super::said::Said;

const DEVICES: &[(&str, &str)] = &[("cpu", "cpu"), ("none", "none")];

/// `ClusterConfig` (`commands/config/config_args.py`) and what its groups hold (accelerate 1.15).
pub(super) const ROWS: &[Row] = &[
    ("distributed_type", Decides("parallelism.dp.kind")),
    ("use_fsdp", Decides("parallelism.dp.kind")),
    ("use_deepspeed", Decides("parallelism.dp.kind")),
    ("multi_gpu", Decides("parallelism.dp.kind")),
    (
        "num_processes",
        Decides("hardware.gpus_per_node hardware.nodes"),
    ),
    ("num_machines", Reads("hardware.nodes", Count)),
    ("gpu_ids", Decides("hardware.gpus_per_node")),
    ("mixed_precision", Decides("precision")),
    ("use_cpu", Decides("host.cuda")),
    ("cpu", Decides("host.cuda")),
    (
        "gradient_accumulation_steps",
        Sets("gradient_accumulation_steps", Count),
    ),
    (
        "deepspeed_config.zero_stage",
        Sets("parallelism.dp.stage", Count),
    ),
    ("zero_stage", Sets("parallelism.dp.stage", Count)),
    (
        "deepspeed_config.offload_optimizer_device",
        Sets("parallelism.dp.offload_optimizer", Name(DEVICES)),
    ),
    (
        "offload_optimizer_device",
        Sets("parallelism.dp.offload_optimizer", Name(DEVICES)),
    ),
    (
        "deepspeed_config.offload_param_device",
        Sets("parallelism.dp.offload_param", Name(DEVICES)),
    ),
    (
        "offload_param_device",
        Sets("parallelism.dp.offload_param", Name(DEVICES)),
    ),
    (
        "deepspeed_config.gradient_accumulation_steps",
        Sets("gradient_accumulation_steps", Count),
    ),
    ("deepspeed_config.deepspeed_config_file", File),
    ("deepspeed_config_file", File),
    (
        "deepspeed_config.zero3_save_16bit_model",
        Decides("host.saving"),
    ),
    (
        "deepspeed_config.deepspeed_moe_layer_cls_names",
        Lacks(Lack::Parallelism),
    ),
    (
        "parallelism_config.parallelism_config_tp_size",
        Decides("parallelism.tp.size"),
    ),
    (
        "parallelism_config.parallelism_config_dp_shard_size",
        Decides("parallelism.dp.shard_size"),
    ),
    (
        "parallelism_config.parallelism_config_dp_replicate_size",
        Decides("parallelism.dp.replicate_size"),
    ),
    (
        "parallelism_config.parallelism_config_cp_size",
        Decides("parallelism.cp.size"),
    ),
    (
        "parallelism_config.parallelism_config_cp_comm_strategy",
        Decides("parallelism.cp.rotate"),
    ),
    (
        "parallelism_config.parallelism_config_sp_size",
        Decides("parallelism.cp.size"),
    ),
    (
        "parallelism_config.parallelism_config_sp_backend",
        Decides("parallelism.cp.kind"),
    ),
    (
        "parallelism_config.parallelism_config_sp_attn_implementation",
        Decides("attention"),
    ),
    (
        "deepspeed_config.zero3_init_flag",
        Decides("around.loading"),
    ),
    ("zero3_init_flag", Decides("around.loading")),
    ("fp8_config.*", Lacks(Lack::Fp8)),
    ("dynamo_config.*", Lacks(Lack::Compile)),
    ("dynamo_backend", Lacks(Lack::Compile)),
    ("megatron_lm_config.*", Lacks(Lack::Parallelism)),
];

pub(super) const WITHOUT_MEMORY: &[&str] = &[
    "compute_environment",
    "machine_rank",
    "main_process_ip",
    "main_process_port",
    "rdzv_backend",
    "same_network",
    "main_training_function",
    "enable_cpu_affinity",
    "downcast_bf16",
    "tpu_*",
    "debug",
    "use_seedable_sampler",
    "deepspeed_config.deepspeed_multinode_launcher",
    "deepspeed_config.deepspeed_hostfile",
    "commands",
    "command_file",
    "deepspeed_config.gradient_clipping",
    "ipex_config*",
    "mpirun_config*",
    "fsdp_config",
    "deepspeed_config",
    "parallelism_config.parallelism_config_sp_seq_length*",
    "use_parallelism_config",
    "rdzv_conf",
    "deepspeed_config.seq_parallel_communication_data_type",
    "deepspeed_config.deepspeed_inclusion_filter",
    "deepspeed_config.offload_*",
    "dynamo_config",
    "tee",
    "role",
    "max_restarts",
    "monitor_interval",
    "config_file",
    "module",
    "no_python",
    "num_cpu_threads_per_process",
    "deepspeed_hostfile",
    "deepspeed_multinode_launcher",
    "env",
    "zero3_save_16bit_model",
    "gradient_clipping",
    "quiet",
    "log_dir",
    "use_xpu",
    "machine",
    "deepspeed_exclusion_filter",
    "deepspeed_inclusion_filter",
    "offload_*",
    "fsdp_config.*",
];

const PHRASES: &[Phrases] = &[
    Phrases {
        about: &["parallelism.dp.kind"],
        ways: &[
            r#"{"distributed_type": "NO"}"#,
            r#"{"distributed_type": "MULTI_GPU"}"#,
            r#"{"distributed_type": "FSDP", "fsdp_config": {"fsdp_version": 2, "fsdp_auto_wrap_policy": "TRANSFORMER_BASED_WRAP"}}"#,
            r#"{"distributed_type": "FSDP", "fsdp_config": {"fsdp_version": 1, "fsdp_auto_wrap_policy": "TRANSFORMER_BASED_WRAP"}}"#,
            r#"{"distributed_type": "DEEPSPEED"}"#,
        ],
    },
    Phrases {
        about: &[
            "parallelism.dp.reshard_after_forward",
            "parallelism.dp.sharding_strategy",
        ],
        ways: &[
            "{}",
            r#"{"fsdp_config": {"fsdp_reshard_after_forward": false}}"#,
            r#"{"fsdp_config": {"fsdp_reshard_after_forward": "SHARD_GRAD_OP"}}"#,
            r#"{"fsdp_config": {"fsdp_reshard_after_forward": "HYBRID_SHARD"}}"#,
            r#"{"fsdp_config": {"fsdp_reshard_after_forward": "HYBRID_SHARD_ZERO2"}}"#,
            r#"{"fsdp_config": {"fsdp_reshard_after_forward": "NO_SHARD"}}"#,
        ],
    },
    Phrases {
        about: &["precision", "parallelism.dp.mixed_precision.param"],
        ways: &[
            "{}",
            r#"{"mixed_precision": "bf16"}"#,
            r#"{"mixed_precision": "fp16"}"#,
        ],
    },
];

pub(super) const FORMAT: Format = Format {
    name: "accelerate",
    rows: &[ROWS, FSDP],
    without_memory: &[WITHOUT_MEMORY, FSDP_WITHOUT_MEMORY],
    telling: &[
        "distributed_type",
        "compute_environment",
        "num_processes",
        "num_machines",
        "machine_rank",
        "mixed_precision",
        "main_training_function",
        "rdzv_backend",
        "use_fsdp",
        "use_deepspeed",
    ],
    finish,
    syntax: Syntax::Yaml,
    phrases: &[PHRASES],
};

fn finish(said: &Said, job: &mut Job) {
    let machines = said.count("num_machines").filter(|n| *n > 0);
    if let Some(machines) = machines {
        job.set("hardware.nodes", machines);
    }
    if let Some(processes) = said.count("num_processes").filter(|n| *n > 0) {
        job.set(
            "hardware.gpus_per_node",
            (processes / machines.unwrap_or(1)).max(1),
        );
    } else {
        let ids = said.list("gpu_ids");
        if !ids.is_empty() && ids != ["all"] {
            job.set("hardware.gpus_per_node", ids.len());
        }
    }
    // A trainer's own flag counts more than `ACCELERATE_MIXED_PRECISION` (`TrainingArguments.__post_init__`).
    match said.word("mixed_precision").as_deref() {
        Some("bf16") => _ = job.mixed.get_or_insert(Half::Bf16),
        Some("fp16") => _ = job.mixed.get_or_insert(Half::Fp16),
        Some("fp8") => {
            job.mixed.get_or_insert(Half::Bf16);
            job.give_up(said, "mixed_precision", Matters::Yes(Lack::Fp8));
        }
        _ => {}
    }
    let flags = ["deepspeed_config.zero3_init_flag", "zero3_init_flag"];
    job.builds_whole |= flags.iter().any(|key| said.flag(key) == Some(false));
    if said.is_on("use_cpu") || said.is_on("cpu") {
        job.set("host.cuda", false);
    }
    let kind = said.word("distributed_type");
    let kind = kind.as_deref();
    if kind == Some("fsdp") || said.is_on("use_fsdp") {
        job.fsdp_version = 1;
        hugging_face::fsdp(said, job);
        if !said.has("fsdp_config.cpu_ram_efficient_loading") {
            job.assume(
                "parallelism.dp.cpu_ram_efficient_loading",
                true,
                "accelerate launch, accelerate 1.15",
            );
        }
    } else if kind == Some("deepspeed") || said.is_on("use_deepspeed") {
        job.wrapper = Some(Wrapper::Zero);
        // `DeepSpeedPlugin`: stage 2 unless said otherwise.
        if !said.has_within("deepspeed_config.deepspeed_config_file") {
            job.assume(
                "parallelism.dp.stage",
                2,
                "DeepSpeedPlugin, accelerate 1.15",
            );
        }
    } else if matches!(kind, Some("megatron_lm" | "tp")) {
        job.give_up(said, "distributed_type", Matters::Yes(Lack::Parallelism));
    } else {
        job.several.get_or_insert(Wrapper::Ddp);
    }
    if said.is_on("deepspeed_config.zero3_save_16bit_model") {
        job.set("host.saving", "full_state");
    }
    hugging_face::attention(
        said,
        "parallelism_config.parallelism_config_sp_attn_implementation",
        job,
    );
    mesh(said, job);
}

/// `ParallelismConfig`.
fn mesh(said: &Said, job: &mut Job) {
    let size = |name: &str| {
        let size = said.count(&format!(
            "parallelism_config.parallelism_config_{name}_size"
        ));
        size.filter(|size| *size > 1)
    };
    if let Some(tp) = size("tp") {
        job.set("parallelism.tp.size", tp);
        job.set("parallelism.tp.plan", "transformers");
    }
    if let Some(copies) = size("dp_replicate") {
        job.set("parallelism.dp.replicate_size", copies);
    }
    if let Some(cp) = size("cp") {
        job.set("parallelism.cp.size", cp);
        let rotate = said.word("parallelism_config.parallelism_config_cp_comm_strategy");
        if rotate.as_deref() == Some("alltoall") {
            job.set("parallelism.cp.rotate", "alltoall");
        }
    }
    if let Some(sp) = size("sp") {
        job.set("parallelism.cp.size", sp);
        job.set("parallelism.cp.kind", "ulysses");
    }
}
