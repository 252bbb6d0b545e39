//! Keys that only scripts have: the model that it loads, quantization, a loop without a trainer.

use crate::configs::format::{Format, Syntax};
use crate::configs::hub;
use crate::configs::hugging_face::{self, FSDP, FSDP_WITHOUT_MEMORY};
use crate::configs::job::{Assumed, Half, Job, Matters, Wrapper};
use crate::configs::row::As::{Count, Flag, Name, Real};
use crate::configs::row::Does::{Decides, Lacks, Sets};
use crate::configs::row::{Lack, Row};
use crate::configs::said::{Entry, Said};
use crate::configs::trl::STORAGES;

const LOADING: &str = "from_pretrained keeps the dtype of the file, transformers 5.24";
const LOOP: &str = "torch.optim.AdamW and DataLoader, torch 2.15";
const ACCELERATE: &str = "Accelerator.prepare_model, accelerate 1.15";
const UNSLOTH: &str = "FastLanguageModel, unsloth 2026.10";
const BITS: &str = "BitsAndBytesConfig, transformers 5.24";

const ROWS: &[Row] = &[
    ("model", Decides("model")),
    ("task", Decides("task")),
    ("value_head", Lacks(Lack::Preference)),
    ("trainer", Decides("")),
    ("accelerator", Decides("autocast_style")),
    ("accelerator.mixed_precision", Decides("precision")),
    (
        "accelerator.gradient_accumulation_steps",
        Decides("gradient_accumulation_steps"),
    ),
    ("accelerator.dynamo_backend", Lacks(Lack::Compile)),
    ("accelerator.dynamo_plugin*", Lacks(Lack::Compile)),
    ("accelerator.megatron_lm_plugin*", Lacks(Lack::Parallelism)),
    ("accelerator.parallelism_config*", Lacks(Lack::Parallelism)),
    ("option", Decides("")),
    ("torch.cuda.is_bf16_supported()", Decides("precision")),
    ("dtype", Decides("weights precision")),
    ("torch_dtype", Decides("weights precision")),
    ("from_config", Decides("weights precision")),
    ("attn_implementation", Decides("attention")),
    ("use_flash_attention_2", Decides("attention")),
    ("use_cache", Sets("use_cache", Flag)),
    ("load_in_4bit", Decides("quantization.type")),
    ("load_in_8bit", Decides("quantization.type")),
    ("load_in_16bit", Decides("quantization.type")),
    ("load_in_fp8", Lacks(Lack::Quantization)),
    ("full_finetuning", Decides("quantization.type")),
    ("bnb_4bit_quant_type", Decides("quantization.type")),
    (
        "bnb_4bit_use_double_quant",
        Sets("quantization.double", Flag),
    ),
    (
        "bnb_4bit_compute_dtype",
        Decides("quantization.compute_dtype"),
    ),
    (
        "bnb_4bit_quant_storage",
        Sets("quantization.storage", Name(STORAGES)),
    ),
    ("llm_int8_enable_fp32_cpu_offload", Lacks(Lack::Offload)),
    ("llm_int8_skip_modules", Lacks(Lack::Quantization)),
    ("other_quantization", Lacks(Lack::Quantization)),
    ("quantization_config", Lacks(Lack::Quantization)),
    (
        "prepare_model_for_kbit_training",
        Decides("quantization.prepare_for_kbit_training"),
    ),
    ("peft_model", Lacks(Lack::Adapter)),
    ("autocast_adapter_dtype", Decides("lora.adapter_dtype")),
    (
        "gradient_checkpointing",
        Decides("activation_checkpointing"),
    ),
    (
        "gradient_checkpointing_kwargs.use_reentrant",
        Decides("activation_checkpointing"),
    ),
    ("unsloth", Lacks(Lack::Kernel)),
    ("unsloth_adapters", Decides("lora.r")),
    ("loaded_first", Decides("around.loading")),
    (
        "unsloth_checkpointing",
        Decides("activation_checkpointing activation_offload.kind"),
    ),
    ("fast_inference", Lacks(Lack::Generation)),
    ("tp_plan", Lacks(Lack::Parallelism)),
    ("torch.compile", Lacks(Lack::Compile)),
    ("requires_grad", Lacks(Lack::Frozen)),
    ("liger_kernel", Decides("liger_kernel")),
    ("max_seq_length", Sets("seq_len", Count)),
    ("max_length", Sets("seq_len", Count)),
    ("batch_size", Sets("micro_batch_size", Count)),
    ("num_workers", Sets("dataloader.num_workers", Count)),
    ("pin_memory", Sets("dataloader.pin_memory", Flag)),
    ("prefetch_factor", Sets("dataloader.prefetch_factor", Count)),
    (
        "persistent_workers",
        Sets("dataloader.persistent_workers", Flag),
    ),
    (
        "gradient_accumulation_steps",
        Sets("gradient_accumulation_steps", Count),
    ),
    ("clip_grad_norm", Sets("clip_grad_norm", Flag)),
    ("optimizer", Decides("optimizer.name")),
    ("optimizer.fused", Decides("optimizer.impl")),
    ("optimizer.foreach", Decides("optimizer.impl")),
    ("optimizer.amsgrad", Sets("optimizer.amsgrad", Flag)),
    ("optimizer.momentum", Sets("optimizer.momentum", Real)),
    (
        "optimizer.relative_step",
        Sets("optimizer.relative_step", Flag),
    ),
    ("autocast", Decides("precision")),
    ("wrapper", Decides("parallelism.dp.kind")),
    (
        "wrapper.find_unused_parameters",
        Sets("parallelism.dp.find_unused_parameters", Flag),
    ),
    (
        "wrapper.gradient_as_bucket_view",
        Sets("parallelism.dp.gradient_as_bucket_view", Flag),
    ),
    (
        "wrapper.static_graph",
        Sets("parallelism.dp.static_graph", Flag),
    ),
    (
        "wrapper.bucket_cap_mb",
        Sets("parallelism.dp.bucket_cap_mb", Count),
    ),
    (
        "wrapper.reshard_after_forward",
        Sets("parallelism.dp.reshard_after_forward", Flag),
    ),
    (
        "wrapper.sharding_strategy",
        Sets("parallelism.dp.sharding_strategy", Name(STRATEGIES)),
    ),
    (
        "wrapper.cpu_offload",
        Sets("parallelism.dp.cpu_offload", Flag),
    ),
    (
        "wrapper.use_orig_params",
        Sets("parallelism.dp.use_orig_params", Flag),
    ),
    (
        "wrapper.limit_all_gathers",
        Sets("parallelism.dp.limit_all_gathers", Flag),
    ),
    (
        "wrapper.forward_prefetch",
        Sets("parallelism.dp.forward_prefetch", Flag),
    ),
    (
        "wrapper.offload_policy",
        Decides("parallelism.dp.cpu_offload"),
    ),
    (
        "wrapper.mp_policy.param_dtype",
        Sets("parallelism.dp.mixed_precision.param", Name(DTYPES)),
    ),
    (
        "wrapper.mp_policy.reduce_dtype",
        Sets("parallelism.dp.mixed_precision.reduce", Name(DTYPES)),
    ),
    (
        "wrapper.mp_policy.output_dtype",
        Sets("parallelism.dp.mixed_precision.output", Name(DTYPES)),
    ),
    (
        "wrapper.mixed_precision.param_dtype",
        Sets("parallelism.dp.mixed_precision.param", Name(DTYPES)),
    ),
    (
        "wrapper.mixed_precision.reduce_dtype",
        Sets("parallelism.dp.mixed_precision.reduce", Name(DTYPES)),
    ),
    ("wrapper.auto_wrap_policy", Decides("parallelism.dp.kind")),
];

/// Names of dtypes.
const DTYPES: &[(&str, &str)] = &[
    ("bfloat16", "bf16"),
    ("float16", "fp16"),
    ("half", "fp16"),
    ("float32", "fp32"),
    ("float", "fp32"),
];

const STRATEGIES: &[(&str, &str)] = &[
    ("FULL_SHARD", "FULL_SHARD"),
    ("SHARD_GRAD_OP", "SHARD_GRAD_OP"),
    ("NO_SHARD", "NO_SHARD"),
    ("HYBRID_SHARD", "HYBRID_SHARD"),
    ("_HYBRID_SHARD_ZERO2", "HYBRID_SHARD_ZERO2"),
];

const WITHOUT_MEMORY: &[&str] = &[
    "trust_remote_code",
    "revision",
    "token",
    "use_auth_token",
    "cache_dir",
    "device_map*",
    "accelerator.*",
    "max_memory*",
    "low_cpu_mem_usage",
    "num_labels",
    "id2label",
    "label2id",
    "ignore_mismatched_sizes",
    "use_safetensors",
    "local_files_only",
    "force_download",
    "problem_type",
    "llm_int8_threshold",
    "llm_int8_has_fp16_weight",
    "random_state",
    "fix_tokenizer",
    "max_lora_rank",
    "use_exact_model_name",
    "disable_log_stats",
    "shuffle",
    "collate_fn",
    "drop_last",
    "sampler",
    "timeout",
    "worker_init_fn",
    "generator",
    "optimizer.lr",
    "optimizer.betas",
    "optimizer.eps",
    "optimizer.weight_decay",
    "optimizer.nesterov",
    "optimizer.decay_rate",
    "optimizer.clip_threshold",
    "optimizer.scale_parameter",
    "optimizer.warmup_init",
    "wrapper.broadcast_buffers",
    "wrapper.process_group",
    "wrapper.sync_module_states",
    "wrapper.param_init_fn",
    "wrapper.mixed_precision.buffer_dtype",
];

pub(in crate::configs) static FORMAT: Format = Format {
    name: "python",
    rows: &[ROWS, FSDP],
    without_memory: &[WITHOUT_MEMORY, FSDP_WITHOUT_MEMORY],
    telling: &[],
    finish,
    syntax: Syntax::Arguments,
    phrases: &[],
};

fn finish(said: &Said, job: &mut Job) {
    if let Some(model) = said.get("model") {
        job.set("model", model.clone());
    }
    if let Some(task) = said.word("task") {
        job.set("task", task);
    }
    hugging_face::attention(said, "attn_implementation", job);
    if said.is_on("use_flash_attention_2") {
        job.set("attention", "flash_attention_2");
    }
    checkpointing(said, job);
    dtype(said, job);
    if said.has("unsloth") {
        unsloth(said, job);
    } else {
        quantization(said, job);
    }
    if said.flag("autocast_adapter_dtype") == Some(false) {
        job.set("lora.adapter_dtype", "base");
    }
    if said.is_on("liger_kernel") {
        job.set("liger_kernel", vec!["all"]);
    }
    if said.has("torch.cuda.is_bf16_supported()") {
        job.assumed.push(Assumed {
            key: "precision".to_owned(),
            value: "bf16".into(),
            source: "torch.cuda.is_bf16_supported() on GPUs since Ampere",
        });
    }
    // `HfTrainerDeepSpeedConfig`, which `from_pretrained` looks for, is made by `TrainingArguments`.
    job.builds_whole |= said.is_on("loaded_first");
    if !said.has("trainer") {
        plain_loop(said, job);
    }
}

/// The dtype of the weights: as it is said, that of the file, or PyTorch's where a config alone makes the model.
fn dtype(said: &Said, job: &mut Job) {
    hugging_face::dtype(said, &["dtype", "torch_dtype"], job);
    if job.loaded.is_some() {
        return;
    }
    let is_loaded = |entry: &Entry| {
        let from = entry.key.ends_with("from_pretrained") || said.has("unsloth");
        entry.name == "model" && from
    };
    if said.has("from_config") {
        job.loaded = Some("fp32");
    } else if let Some(entry) = said.entries.iter().find(|entry| is_loaded(entry)) {
        let dtype = hub::dtype(entry.value.as_str().unwrap_or_default());
        job.loaded = Some(dtype);
        job.assumed.push(Assumed {
            key: "weights".to_owned(),
            value: dtype.into(),
            source: LOADING,
        });
    }
}

fn checkpointing(said: &Said, job: &mut Job) {
    if said.is_on("gradient_checkpointing") {
        let reentrant = said.is_on("gradient_checkpointing_kwargs.use_reentrant");
        let kind = if reentrant { "full_reentrant" } else { "full" };
        job.set("activation_checkpointing", kind);
    }
}

fn quantization(said: &Said, job: &mut Job) {
    if said.is_on("load_in_4bit") {
        let kind = said.word("bnb_4bit_quant_type");
        match kind.filter(|kind| ["nf4", "fp4"].contains(&kind.as_str())) {
            Some(kind) => job.set("quantization.type", kind),
            None => job.assume("quantization.type", "fp4", BITS),
        }
        let computes = said.word("bnb_4bit_compute_dtype");
        let named = computes.as_deref().and_then(|word| {
            let mut names = DTYPES.iter();
            names.find(|(name, _)| *name == word).map(|(_, own)| *own)
        });
        job.set("quantization.compute_dtype", named.unwrap_or("fp32"));
    } else if said.is_on("load_in_8bit") {
        job.set("quantization.type", "int8");
    } else {
        job.remove("quantization");
        return;
    }
    let prepared = said.is_on("prepare_model_for_kbit_training");
    job.set("quantization.prepare_for_kbit_training", prepared);
}

/// Unsloth's own defaults. Its checkpoints wait on the host, and its loss keeps no logits.
fn unsloth(said: &Said, job: &mut Job) {
    let off = ["full_finetuning", "load_in_8bit", "load_in_16bit"];
    let four = said.flag("load_in_4bit").unwrap_or(true);
    if said.is_on("load_in_8bit") {
        job.set("quantization.type", "int8");
    } else if four && !off.iter().any(|key| said.is_on(key)) {
        if said.has("load_in_4bit") {
            job.set("quantization.type", "nf4");
        } else {
            job.assume("quantization.type", "nf4", UNSLOTH);
        }
        job.set("quantization.double", true);
        job.set("quantization.compute_dtype", job.loaded.unwrap_or("bf16"));
    }
    if job.get("quantization.type").is_some() {
        job.set("quantization.prepare_for_kbit_training", false);
    }
    if said.has("unsloth_adapters") {
        job.assume("lora.r", 16, UNSLOTH);
    }
    job.assume("seq_len", 2048, UNSLOTH);
    let kind = said.word("unsloth_checkpointing");
    match kind.as_deref() {
        Some("false") => job.set("activation_checkpointing", "none"),
        Some("true") => job.set("activation_checkpointing", "full_reentrant"),
        _ => {
            job.set("activation_checkpointing", "full_reentrant");
            job.set("activation_offload.kind", "layer_inputs");
        }
    }
    job.set("loss", "cut_cross_entropy");
    // No logits leave its forward pass that accelerate could turn into fp32.
    job.set("autocast_style", "plain");
}

/// A loop of the script's own, with PyTorch's defaults.
fn plain_loop(said: &Said, job: &mut Job) {
    match said.word("autocast").as_deref() {
        Some("bfloat16") => job.mixed = Some(Half::Bf16),
        Some("float16" | "half") => job.mixed = Some(Half::Fp16),
        _ => {}
    }
    match said.word("wrapper").as_deref() {
        Some("ddp") => job.wrapper = Some(Wrapper::Ddp),
        Some("fsdp1") => job.wrapper = Some(Wrapper::Fsdp1),
        Some("fsdp2") => job.wrapper = Some(Wrapper::Fsdp2),
        Some(_) => job.give_up(said, "wrapper", Matters::Yes(Lack::Parallelism)),
        None => {}
    }
    if said.has_within("wrapper.offload_policy") {
        job.set("parallelism.dp.cpu_offload", true);
    }
    if said.has("accelerator") {
        job.assume("autocast_style", "accelerate", ACCELERATE);
    }
    optimizer(said, job);
    job.assume("micro_batch_size", 1, LOOP);
    job.assume("dataloader.num_workers", 0, LOOP);
}

fn optimizer(said: &Said, job: &mut Job) {
    match said.word("optimizer") {
        Some(name) => {
            job.set("optimizer.name", name);
            let implementation = if said.is_on("optimizer.fused") {
                "fused"
            } else if said.flag("optimizer.foreach") == Some(false) {
                "for_loop"
            } else {
                "foreach"
            };
            let plain = [
                "adamw", "adam", "sgd", "adagrad", "rmsprop", "adamax", "nadam", "adadelta",
            ];
            if plain
                .iter()
                .any(|own| job.get("optimizer.name") == Some(&(*own).into()))
            {
                job.set("optimizer.impl", implementation);
            }
        }
        None => job.assume("optimizer.name", "adamw", LOOP),
    }
}
