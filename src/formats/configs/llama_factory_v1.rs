//! LLaMA-Factory's second format, of `llamafactory.v1`: settings of each plugin in an object of its own.

use super::format::{Format, Syntax};
use super::hugging_face;
use super::job::{Differs, Half, Job, Matters, Note, Wrapper};
use super::row::As::{Count, Flag, List, Positive, Real};
use super::row::Does::{Decides, File, Lacks, Sets};
use super::row::{Lack, Row};
use super::said::Said;
use super::value;

const SOURCE: &str = "v1/config and v1/plugins, llamafactory 0.9.6.dev0";

/// `v1/config/*_args.py` and the parameters of `v1/plugins` (llamafactory 0.9.6.dev0).
const ROWS: &[Row] = &[
    ("model", Decides("model")),
    ("model_class", Decides("task")),
    ("trainer", Decides("objective.kind")),
    ("train_dataset", Decides("objective.kind")),
    ("flash_attn", Decides("attention")),
    ("micro_batch_size", Sets("micro_batch_size", Count)),
    ("global_batch_size", Decides("gradient_accumulation_steps")),
    ("cutoff_len", Sets("seq_len", Count)),
    ("bf16", Decides("precision")),
    ("max_grad_norm", Sets("clip_grad_norm", Positive)),
    ("num_train_epochs", Sets("dataset.epochs", Count)),
    (
        "batching_strategy",
        Decides("packing.kind micro_batch_size seq_len"),
    ),
    ("batching_workers", Sets("dataloader.num_workers", Count)),
    (
        "enable_activation_checkpointing",
        Decides("activation_checkpointing"),
    ),
    ("save_ckpt_as_hf", Decides("around.saving")),
    ("dist_config", Decides("parallelism.dp.kind")),
    ("dist_config.name", Decides("parallelism.dp.kind")),
    ("dist_config.config_file", File),
    (
        "dist_config.reshard_after_forward",
        Sets("parallelism.dp.reshard_after_forward", Flag),
    ),
    (
        "dist_config.offload_params",
        Sets("parallelism.dp.cpu_offload", Flag),
    ),
    (
        "dist_config.pin_memory",
        Sets("parallelism.dp.pin_memory", Flag),
    ),
    ("dist_config.ep_size", Lacks(Lack::Parallelism)),
    ("dp_size", Lacks(Lack::Parallelism)),
    ("cp_size", Decides("parallelism.cp.size")),
    ("cp_mode", Decides("parallelism.cp.size")),
    (
        "mp_replicate_size",
        Sets("parallelism.dp.replicate_size", Count),
    ),
    ("mp_shard_size", Sets("parallelism.dp.shard_size", Count)),
    ("peft_config", Decides("lora")),
    ("peft_config.name", Decides("lora")),
    ("peft_config.r", Sets("lora.r", Count)),
    ("peft_config.lora_dropout", Sets("lora.dropout", Real)),
    ("peft_config.target_modules", Decides("lora.target_modules")),
    ("peft_config.use_dora", Sets("lora.use_dora", Flag)),
    (
        "peft_config.modules_to_save",
        Sets("lora.modules_to_save", List),
    ),
    ("peft_config.adapter_name_or_path", File),
    ("peft_config.freeze_*", Lacks(Lack::Frozen)),
    (
        "peft_config.cast_trainable_params_to_fp32",
        Lacks(Lack::Frozen),
    ),
    ("quant_config", Decides("quantization.type")),
    ("quant_config.name", Decides("quantization.type")),
    (
        "quant_config.quantization_bit",
        Decides("quantization.type"),
    ),
    (
        "quant_config.quantization_type",
        Decides("quantization.type"),
    ),
    (
        "quant_config.double_quantization",
        Decides("quantization.double"),
    ),
    (
        "quant_config.compute_dtype",
        Decides("quantization.compute_dtype"),
    ),
    ("kernel_config", Decides("liger_kernel")),
    ("kernel_config.name", Decides("liger_kernel")),
    ("kernel_config.include_kernels", Lacks(Lack::Kernel)),
    ("kernel_config.chunk_size", Lacks(Lack::Kernel)),
    ("optim_config", Decides("optimizer.name")),
    ("optim_config.name", Decides("optimizer.name")),
    ("init_config", Decides("parallelism.dp.built_on_cpu")),
    ("init_config.name", Decides("parallelism.dp.built_on_cpu")),
    ("pref_loss", Decides("objective.kind")),
    ("pref_ftx", Lacks(Lack::Preference)),
    ("ld_alpha", Lacks(Lack::Preference)),
    ("eval_dataset", Lacks(Lack::Data)),
];

const WITHOUT_MEMORY: &[&str] = &[
    "output_dir",
    "learning_rate",
    "max_steps",
    "trust_remote_code",
    "custom_chat_template",
    "template",
    "sample_backend",
    "max_new_tokens",
    "dist_timeout",
    "lr_scheduler_config*",
    "optim_config.*",
    "seed",
    "full_determinism",
    "resume_from_checkpoint",
    "save_steps",
    "save_epochs",
    "save_total_limit",
    "logging_steps",
    "pref_beta",
    "simpo_gamma",
    "dpo_label_smoothing",
    "dist_config.dcp_path",
    "dist_config.ep_dispatcher",
    "peft_config.lora_alpha",
    "peft_config.use_rslora",
    "report_to",
    "run_name",
];

pub(super) const FORMAT: Format = Format {
    name: "llama-factory-v1",
    rows: &[ROWS],
    without_memory: &[WITHOUT_MEMORY],
    telling: &[
        "model_class",
        "dist_config*",
        "peft_config*",
        "quant_config*",
        "kernel_config*",
        "init_config*",
        "optim_config*",
        "batching_strategy",
        "train_dataset",
    ],
    finish,
    syntax: Syntax::Yaml,
    phrases: &[],
};

fn finish(said: &Said, job: &mut Job) {
    if let Some(model) = said.get("model") {
        job.set("model", model.clone());
    }
    job.assume("micro_batch_size", 1, SOURCE);
    job.assume("seq_len", 2048, SOURCE);
    job.assume("clip_grad_norm", true, SOURCE);
    job.assume("dataloader.num_workers", 16, SOURCE);
    hugging_face::attention(said, "flash_attn", job);
    let checkpoints = said.flag("enable_activation_checkpointing");
    match checkpoints {
        Some(true) => job.set("activation_checkpointing", "full"),
        Some(false) => job.set("activation_checkpointing", "none"),
        None => job.assume("activation_checkpointing", "full", SOURCE),
    }
    // `torch.optim.AdamW` without options (`_init_optimizer`, `v1/core/base_trainer.py`).
    job.assume("optimizer.name", "adamw", SOURCE);
    job.assume("optimizer.impl", "foreach", SOURCE);
    if said.get("optim_config.name").is_some() {
        job.give_up(said, "optim_config.name", Matters::Yes(Lack::Optimizer));
    }
    adapters(said, job);
    divided(said, job);
    kernels(said, job);
    if objective(said, job) {
        batching(said, job);
        let (framework, how) = ("LLaMA-Factory", Differs::TwoLosses);
        job.notes.push(Note::Differs { framework, how });
    }
    job.global_batch = said.count("global_batch_size").map(|all| (all, 1));
}

/// `init_adapter` by plugins (`v1/core/model_engine.py`): a model without adapters is made float32.
fn adapters(said: &Said, job: &mut Job) {
    let kind = said.word("peft_config.name");
    job.loaded = Some(if kind.is_some() { "bf16" } else { "fp32" });
    if kind.as_deref() == Some("lora") {
        job.assume("lora.r", 8, SOURCE);
        job.assume("lora.dropout", 0.05, SOURCE);
        let targets = said.list("peft_config.target_modules");
        if targets.is_empty() || targets == ["all"] {
            job.set("lora.target_modules", vec!["all-linear"]);
        } else {
            job.set("lora.target_modules", targets);
        }
    } else {
        job.remove("lora");
        if kind.is_some() {
            job.give_up(said, "peft_config.name", Matters::Yes(Lack::Frozen));
        }
    }
    let bits = said.count("quant_config.quantization_bit");
    let method = said.word("quant_config.name");
    let bits = match method.as_deref() {
        Some("bnb") => bits.or(Some(4)),
        Some("auto") => bits,
        Some(_) => {
            return job.give_up(said, "quant_config.name", Matters::Yes(Lack::Quantization));
        }
        None => None,
    };
    let Some(bits) = bits else { return };
    if bits == 8 {
        job.set("quantization.type", "int8");
    } else {
        let kind = said.word("quant_config.quantization_type");
        job.set(
            "quantization.type",
            kind.unwrap_or_else(|| "nf4".to_owned()),
        );
        let double = said.flag("quant_config.double_quantization");
        job.set("quantization.double", double.unwrap_or(true));
        let dtype = said.word("quant_config.compute_dtype");
        let storage = dtype.clone().unwrap_or_else(|| "float16".to_owned());
        job.set("quantization.storage", storage);
        let computes = match dtype.as_deref() {
            Some("bfloat16") => "bf16",
            Some("float32") => "fp32",
            _ => "fp16",
        };
        job.set("quantization.compute_dtype", computes);
    }
    job.set("quantization.prepare_for_kbit_training", false);
}

/// `FSDP2Engine` and `DeepSpeedEngine` (`v1/plugins/trainer_plugins/distributed`): FSDP's policy alone makes the
/// precision mixed, and sums gradients in fp32; without one nothing does.
fn divided(said: &Said, job: &mut Job) {
    let half = said.flag("bf16").unwrap_or(true).then_some(Half::Bf16);
    job.several = Some(Wrapper::Ddp);
    // Every micro-batch reduces its gradients (`fit`, `v1/core/base_trainer.py`).
    job.set("parallelism.dp.no_sync", false);
    let name = said.word("dist_config.name");
    match name.as_deref() {
        Some("fsdp2" | "fsdpturbo") => {
            job.wrapper = Some(Wrapper::Fsdp2);
            job.mixed = half;
            job.casts_by_fsdp_alone = true;
            job.needs_gpus = true;
            let elsewhere = said.word("init_config.name");
            let elsewhere = elsewhere.is_some_and(|name| name != "init_on_default");
            job.set("parallelism.dp.built_on_cpu", elsewhere);
            // The whole state is gathered when a model is saved in the end.
            job.saves = true;
        }
        Some("deepspeed") => {
            job.mixed = half;
            job.needs_gpus = true;
            job.saves = true;
        }
        Some(_) => job.give_up(said, "dist_config.name", Matters::Yes(Lack::Parallelism)),
        None => {}
    }
    if said.count("cp_size").is_some_and(|size| size > 1) {
        job.give_up(said, "cp_size", Matters::Yes(Lack::Parallelism));
    }
}

/// `apply_kernels`: Liger's without a fused loss, which a trainer that asks for logits turns into one that is not.
fn kernels(said: &Said, job: &mut Job) {
    let names = said.list("kernel_config.name");
    if names.iter().any(|name| name.contains("liger")) {
        let kernels = vec!["rope", "rms_norm", "swiglu", "cross_entropy"];
        job.set("liger_kernel", kernels);
    } else if names.iter().any(|name| name != "auto") {
        job.give_up(said, "kernel_config.name", Matters::Yes(Lack::Kernel));
    }
}

/// Sets the objective; whether it is the supervised one. The command says which, or the name of the data does.
fn objective(said: &Said, job: &mut Job) -> bool {
    let command = said.word("trainer");
    let data = said.get("train_dataset").and_then(value::text);
    let pairs = data.is_some_and(|name| name.to_ascii_lowercase().contains("dpo"));
    let loss = said.word("pref_loss");
    let kind = match (command.as_deref(), loss.as_deref()) {
        (Some("rm"), _) => "reward",
        (Some("sft" | "train"), _) => return true,
        (_, Some("orpo")) => "orpo",
        (_, Some("simpo")) => "cpo",
        (Some("dpo"), _) | (_, Some(_)) => "dpo",
        _ if pairs => "dpo",
        _ => return true,
    };
    job.set("objective.kind", kind);
    if kind == "reward" {
        job.set("task", "sequence_classification");
    } else {
        let framework = "LLaMA-Factory";
        job.set("objective.log_probs", "log_softmax");
        job.notes.push(Note::AllLogits { framework });
    }
    false
}

/// `BatchingStrategy`: rows are laid into one where no padding is left between them.
fn batching(said: &Said, job: &mut Job) {
    let strategy = said.word("batching_strategy").unwrap_or_default();
    if strategy.ends_with("padding_free") {
        job.flatten("position_ids");
    }
}
