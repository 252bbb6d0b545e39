//! torchtune's YAML.

use super::format::{Format, Phrases, Syntax};
use super::hub;
use super::job::{Job, Matters, Wrapper};
use super::row::As::{Count, Flag, Positive, Real};
use super::row::Does::{Decides, Lacks, Reads, Sets};
use super::row::{Lack, Row};
use super::said::Said;
use serde_json::{Value, json};

const SOURCE: &str = "recipes, torchtune 0.6.1";

/// Keys that recipes read of their YAML (`recipes/*.py`, torchtune 0.6.1).
const ROWS: &[Row] = &[
    (
        "model._component_",
        Decides("model implementation lora quantization.type"),
    ),
    ("model", Decides("model")),
    ("model.lora_rank", Sets("lora.r", Count)),
    ("model.lora_dropout", Sets("lora.dropout", Real)),
    ("model.use_dora", Sets("lora.use_dora", Flag)),
    ("model.lora_attn_modules", Decides("lora.target_modules")),
    ("model.apply_lora_to_mlp", Decides("lora.target_modules")),
    ("model.apply_lora_to_output", Decides("lora.target_modules")),
    ("model.quantize_base", Decides("quantization.type")),
    ("model.encoder_trainable", Lacks(Lack::Frozen)),
    ("model.decoder_trainable", Lacks(Lack::Frozen)),
    ("model.fusion_trainable", Lacks(Lack::Frozen)),
    ("model.image_size", Lacks(Lack::Data)),
    ("model.vocab_size", Decides("model")),
    ("model.num_layers", Decides("model")),
    ("model.num_heads", Decides("model")),
    ("model.num_kv_heads", Decides("model")),
    ("model.embed_dim", Decides("model")),
    ("model.intermediate_dim", Decides("model")),
    ("model.max_seq_len", Decides("model")),
    ("model.*", Lacks(Lack::Model)),
    ("policy_model.*", Lacks(Lack::Preference)),
    ("reward_and_value_model.*", Lacks(Lack::Preference)),
    ("ref_policy_*", Lacks(Lack::Preference)),
    ("teacher_model.*", Lacks(Lack::Preference)),
    ("teacher_*", Lacks(Lack::Preference)),
    ("kd_*", Lacks(Lack::Preference)),
    ("batch_size", Sets("micro_batch_size", Count)),
    (
        "gradient_accumulation_steps",
        Sets("gradient_accumulation_steps", Count),
    ),
    ("tokenizer.max_seq_len", Sets("seq_len", Count)),
    ("tokenizer.max_num_tiles", Lacks(Lack::Data)),
    ("tokenizer.image_size", Lacks(Lack::Data)),
    ("dtype", Decides("precision")),
    ("device", Decides("host.cuda")),
    ("loss._component_", Decides("loss objective.kind")),
    ("loss", Decides("loss")),
    ("optimizer._component_", Decides("optimizer.name")),
    ("optimizer.fused", Decides("optimizer.impl")),
    ("optimizer_in_bwd", Sets("optimizer.in_backward", Flag)),
    (
        "enable_activation_checkpointing",
        Decides("activation_checkpointing"),
    ),
    (
        "enable_activation_offloading",
        Decides("activation_offload.kind"),
    ),
    ("ac_mode", Decides("activation_checkpointing")),
    (
        "ac_option",
        Decides("activation_checkpointing checkpoint_every"),
    ),
    (
        "dataloader.num_workers",
        Sets("dataloader.num_workers", Count),
    ),
    (
        "dataloader.prefetch_factor",
        Sets("dataloader.prefetch_factor", Count),
    ),
    ("dataloader.pin_memory", Sets("dataloader.pin_memory", Flag)),
    ("dataloader.packed", Lacks(Lack::Packing)),
    ("datasets", Lacks(Lack::Lengths)),
    ("use_flex", Lacks(Lack::Attention)),
    ("postprocessing.*", Lacks(Lack::Preference)),
    ("clip_grad_norm", Sets("clip_grad_norm", Positive)),
    ("compile", Lacks(Lack::Compile)),
    ("compile.*", Lacks(Lack::Compile)),
    (
        "dataset.packed",
        Decides("packing.kind attention micro_batch_size seq_len"),
    ),
    ("dataset._component_", Lacks(Lack::Lengths)),
    ("dataset.max_seq_len", Sets("seq_len", Count)),
    ("run_val_every_n_steps", Decides("evaluation.kind")),
    (
        "batch_size_val",
        Reads("evaluation.micro_batch_size", Count),
    ),
    ("dataset_val*", Decides("evaluation.kind")),
    ("epochs", Sets("dataset.epochs", Count)),
    ("fsdp_cpu_offload", Sets("parallelism.dp.cpu_offload", Flag)),
    ("fsdp.cpu_offload", Sets("parallelism.dp.cpu_offload", Flag)),
    (
        "fsdp_reshard_after_forward",
        Sets("parallelism.dp.reshard_after_forward", Flag),
    ),
    (
        "custom_sharded_layers",
        Decides("parallelism.dp.wrap_embeddings"),
    ),
    ("memory_efficient_fsdp_wrap", Lacks(Lack::Parallelism)),
    (
        "data_parallel_replicate_dim",
        Sets("parallelism.dp.replicate_size", Count),
    ),
    (
        "data_parallel_shard_dim",
        Reads("parallelism.dp.shard_size", Count),
    ),
    ("tensor_parallel_dim", Reads("parallelism.tp.size", Count)),
    ("tensor_parallel_plan*", Decides("parallelism.tp.size")),
    ("context_parallel_dim", Lacks(Lack::Parallelism)),
    ("expert_parallel_dim", Lacks(Lack::Parallelism)),
    ("use_fp8", Lacks(Lack::Fp8)),
    ("quantizer._component_", Lacks(Lack::Quantization)),
    ("ppo_*", Lacks(Lack::Preference)),
    ("forward_batch_size", Lacks(Lack::Preference)),
    ("grpo_*", Lacks(Lack::Preference)),
    ("max_generated_tokens", Lacks(Lack::Preference)),
    ("enable_kv_cache", Lacks(Lack::Generation)),
    ("orchestration.*", Lacks(Lack::Preference)),
    ("inference.*", Lacks(Lack::Generation)),
    ("vllm.*", Lacks(Lack::Generation)),
    ("reward_*", Lacks(Lack::Preference)),
    ("fake_quant_after_n_steps", Lacks(Lack::Quantization)),
];

const WITHOUT_MEMORY: &[&str] = &[
    "collate_fn",
    "dataloader.collate_fn",
    "dataloader.parallel_method",
    "dataloader.shuffle",
    "debug_*",
    "use_distributed_state_dict",
    "quantizer",
    "prompt*",
    "max_seq_length",
    "apply_chat_template",
    "output_dir",
    "log_*",
    "metric_logger*",
    "resume_from_checkpoint",
    "seed",
    "checkpointer*",
    "optimizer.*",
    "shuffle",
    "max_steps_per_epoch",
    "profiler*",
    "tokenizer*",
    "dataset.*",
    "lr_scheduler*",
    "model.lora_alpha",
    "save_*",
    "max_steps",
    "low_cpu_ram",
    "cudnn_deterministic_mode",
    "enable_async_checkpointing",
    "quantizer.*",
    "dataset",
    "model.normalize_lora_magnitude",
    "model.tie_word_embeddings",
    "epochs",
    "num_steps",
    "lr_warmup_steps",
    "chat_*",
    "prompt",
    "temperature",
    "top_k",
    "top_p",
    "whiten_rewards",
    "gamma",
    "lmbda",
    "loss.*",
    "kl_*",
    "min_response_length",
    "penalise_no_eos",
    "stop_token_ids",
    "num_warmup_steps",
    "limit",
    "tasks",
    "instruct_template",
    "chat_format",
    "max_new_tokens",
    "system_prompt",
    "save_adapter_weights_only",
    "base_model_path",
    "name",
    "quantization_method",
    "gradient_accumulation_step",
    "num_output_chunks",
    "training*",
    "value_*",
    "ref_*",
    "policy_*",
    "reward*",
    "profile*",
];

const PHRASES: &[Phrases] = &[
    Phrases {
        about: &["precision"],
        ways: &[r#"{"dtype": "bf16"}"#, r#"{"dtype": "fp32"}"#],
    },
    Phrases {
        about: &["optimizer.name", "optimizer.impl"],
        ways: &[
            r#"{"optimizer": {"_component_": "torch.optim.AdamW", "fused": true}}"#,
            r#"{"optimizer": {"_component_": "torch.optim.AdamW"}}"#,
            r#"{"optimizer": {"_component_": "torch.optim.Adam", "fused": true}}"#,
            r#"{"optimizer": {"_component_": "torch.optim.Adam"}}"#,
            r#"{"optimizer": {"_component_": "torch.optim.SGD"}}"#,
            r#"{"optimizer": {"_component_": "torch.optim.SGD", "fused": true}}"#,
            r#"{"optimizer": {"_component_": "torch.optim.Adafactor"}}"#,
            r#"{"optimizer": {"_component_": "bitsandbytes.optim.AdamW8bit"}}"#,
            r#"{"optimizer": {"_component_": "bitsandbytes.optim.PagedAdamW8bit"}}"#,
            r#"{"optimizer": {"_component_": "bitsandbytes.optim.PagedAdamW"}}"#,
            r#"{"optimizer": {"_component_": "torchao.optim.AdamW8bit"}}"#,
            r#"{"optimizer": {"_component_": "torchao.optim.AdamW4bit"}}"#,
            r#"{"optimizer": {"_component_": "torchao.optim.AdamWFp8"}}"#,
        ],
    },
    Phrases {
        about: &["loss"],
        ways: &[
            r#"{"loss": {"_component_": "torchtune.modules.loss.CEWithChunkedOutputLoss"}}"#,
            r#"{"loss": {"_component_": "torch.nn.CrossEntropyLoss"}}"#,
        ],
    },
    Phrases {
        about: &["activation_checkpointing"],
        ways: &[
            r#"{"enable_activation_checkpointing": false}"#,
            r#"{"enable_activation_checkpointing": true}"#,
        ],
    },
    Phrases {
        about: &["parallelism.dp.wrap_embeddings"],
        ways: &[
            "{}",
            r#"{"custom_sharded_layers": ["tok_embeddings", "output"]}"#,
        ],
    },
    Phrases {
        about: &["evaluation.kind"],
        ways: &["{}", r#"{"run_val_every_n_steps": 100}"#],
    },
    Phrases {
        about: &["activation_offload.kind"],
        ways: &["{}", r#"{"enable_activation_offloading": true}"#],
    },
    Phrases {
        about: &["packing.kind"],
        ways: &["{}", r#"{"dataset": {"packed": true}}"#],
    },
];

pub(super) const FORMAT: Format = Format {
    name: "torchtune",
    rows: &[ROWS],
    without_memory: &[WITHOUT_MEMORY],
    telling: &[
        "model._component_",
        "tokenizer._component_",
        "checkpointer._component_",
        "optimizer._component_",
        "loss._component_",
        "dataset._component_",
        "enable_activation_checkpointing",
        "metric_logger._component_",
    ],
    finish,
    syntax: Syntax::Yaml,
    phrases: &[PHRASES],
};

/// A model whose builder takes its sizes (`models/{llama2,mistral}/_component_builders.py`, torchtune 0.6.1).
fn by_sizes(builder: &str, said: &Said) -> Option<Value> {
    let kind = match builder {
        "llama2" => "llama",
        "mistral" => "mistral",
        _ => return None,
    };
    let size = |name: &str| said.count(&format!("model.{name}"));
    let hidden = size("embed_dim")?;
    let heads = size("num_heads")?;
    let inner = match size("intermediate_dim") {
        Some(inner) => inner,
        // `scale_hidden_dim_for_mlp`.
        None if kind == "llama" => {
            let scaled = (hidden.saturating_mul(2) / 3).saturating_mul(4);
            scaled.div_ceil(256).saturating_mul(256)
        }
        None => return None,
    };
    Some(json!({"hf_config": {
        "model_type": kind,
        "hidden_size": hidden,
        "intermediate_size": inner,
        "num_hidden_layers": size("num_layers")?,
        "num_attention_heads": heads,
        "num_key_value_heads": size("num_kv_heads").unwrap_or(heads),
        "vocab_size": size("vocab_size")?,
        "max_position_embeddings": size("max_seq_len")?,
        "tie_word_embeddings": false,
        "sliding_window": null,
    }}))
}

fn finish(said: &Said, job: &mut Job) {
    let component = said
        .word("model._component_")
        .or_else(|| said.word("model"));
    let name = component
        .as_deref()
        .and_then(|path| path.rsplit('.').next());
    let name = name.unwrap_or_default();
    let (adapters, quantized) = (
        name.starts_with("lora_") || name.starts_with("qlora_"),
        name.starts_with("qlora_") || said.is_on("model.quantize_base"),
    );
    let plain = name.strip_prefix("qlora_").or(name.strip_prefix("lora_"));
    let plain = plain.unwrap_or(name);
    let named = hub::torchtune_model(plain).map(Value::from);
    // A model that is known by its sizes has no other modules.
    let own = named.is_none() || hub::has_modules_of_torchtune(plain);
    match named.or_else(|| by_sizes(plain, said)) {
        Some(model) => {
            job.set("model", model);
            if own {
                job.set("implementation", "torchtune");
            }
            if let Some(positions) = hub::positions_in_torchtune(plain) {
                job.set("model_overrides.max_position_embeddings", positions);
            }
        }
        None if name.is_empty() => {}
        None => job.give_up(said, "model._component_", Matters::Value),
    }
    lora(said, adapters, job);
    let dtype = match said.word("dtype").as_deref() {
        Some("fp32") => "fp32",
        Some("fp16") => "fp16",
        _ => "bf16",
    };
    job.loaded = Some(dtype);
    if quantized {
        // torchao's NF4, whose scales are quantized, too.
        job.set("quantization.type", "nf4");
        job.set("quantization.double", true);
        job.set("quantization.compute_dtype", dtype);
        job.set("quantization.prepare_for_kbit_training", false);
    }
    if adapters {
        job.set("lora.adapter_dtype", "base");
    }
    if said.word("device").as_deref() == Some("cpu") {
        job.set("host.cuda", false);
    }
    optimizer(said, job);
    let loss = said.word("loss._component_").or_else(|| said.word("loss"));
    match loss.as_deref().and_then(|path| path.rsplit('.').next()) {
        Some("cewithchunkedoutputloss" | "linearcrossentropyloss") => job.set("loss", "chunked"),
        None | Some("crossentropyloss") => {}
        Some("dpoloss") if job.get("implementation").is_some() => {
            job.set("objective.kind", "dpo");
            job.set("objective.log_probs", "torchtune");
        }
        Some(_) => job.give_up(said, "loss._component_", Matters::Yes(Lack::Preference)),
    }
    checkpointing(said, job);
    if said.is_on("enable_activation_offloading") {
        // `OffloadActivations` with its streams (`training/_activation_offloading.py`).
        job.set("activation_offload.kind", "saved_tensors");
    }
    if let Some(every) = said
        .count("run_val_every_n_steps")
        .filter(|every| *every > 0)
    {
        job.set("evaluation.kind", "loss");
        if let Some(batch) = said.count("batch_size_val").filter(|_| every > 0) {
            job.set("evaluation.micro_batch_size", batch);
        }
    }
    let layers = said.list("custom_sharded_layers");
    if layers.iter().any(|layer| layer.ends_with("tok_embeddings")) {
        job.set("parallelism.dp.wrap_embeddings", true);
    }
    if let Some(size) = said.count("tensor_parallel_dim").filter(|size| *size > 1) {
        job.set("parallelism.tp.size", size);
    }
    if let Some(size) = said.count("data_parallel_shard_dim") {
        job.set("parallelism.dp.shard_size", size);
    }
    job.several = Some(Wrapper::Fsdp2);
    job.set("host.libraries", "torch_datasets");
    job.assume("dataloader.num_workers", 0, SOURCE);
    job.assume("dataloader.pin_memory", false, SOURCE);
    job.assume("gradient_accumulation_steps", 1, SOURCE);
    if said.is_on("dataset.packed") {
        // Flex attention keeps what flash attention keeps and no mask of all pairs (`modules/attention_utils.py`).
        if job.get("implementation").is_some() {
            job.set("packing.kind", "position_ids");
        } else {
            job.set("attention", "flash_attention_2");
            job.flatten("position_ids");
        }
    }
}

/// The linear layers that get adapters (`lora_attn_modules` and the two beside it), by their names elsewhere.
fn lora(said: &Said, adapters: bool, job: &mut Job) {
    if !adapters {
        job.remove("lora");
        return;
    }
    let mut targets = said.list("model.lora_attn_modules");
    for target in &mut targets {
        if target == "output_proj" {
            "o_proj".clone_into(target);
        }
    }
    let mut more = |key: &str, names: &[&str]| {
        if said.is_on(key) {
            targets.extend(names.iter().map(|name| (*name).to_owned()));
        }
    };
    more(
        "model.apply_lora_to_mlp",
        &["gate_proj", "up_proj", "down_proj"],
    );
    more("model.apply_lora_to_output", &["lm_head"]);
    if !targets.is_empty() {
        job.set("lora.target_modules", targets);
    }
    job.assume("lora.r", 8, "models/*/_model_builders.py, torchtune 0.6.1");
}

fn optimizer(said: &Said, job: &mut Job) {
    let component = said.word("optimizer._component_");
    let Some(path) = component else { return };
    let name = match path.as_str() {
        "torch.optim.adamw" => "adamw",
        "torch.optim.adam" => "adam",
        "torch.optim.sgd" => "sgd",
        "torch.optim.adafactor" => "adafactor",
        "torch.optim.adagrad" => "adagrad",
        "torch.optim.rmsprop" => "rmsprop",
        // Of torchao's prototypes until 0.9, too.
        path if path.starts_with("torchao.") && path.ends_with(".adamw8bit") => {
            "torchao_adamw_8bit"
        }
        path if path.starts_with("torchao.") && path.ends_with(".adamw4bit") => {
            "torchao_adamw_4bit"
        }
        path if path.starts_with("torchao.") && path.ends_with(".adamwfp8") => "torchao_adamw_fp8",
        "bitsandbytes.optim.adamw8bit" => "adamw_8bit",
        "bitsandbytes.optim.pagedadamw8bit" => "paged_adamw_8bit",
        "bitsandbytes.optim.pagedadamw" | "bitsandbytes.optim.pagedadamw32bit" => {
            "paged_adamw_32bit"
        }
        _ => {
            job.give_up(said, "optimizer._component_", Matters::Yes(Lack::Optimizer));
            return;
        }
    };
    job.set("optimizer.name", name);
    if path.starts_with("torch.") && path != "torch.optim.adafactor" {
        let fused = said.is_on("optimizer.fused");
        job.set("optimizer.impl", if fused { "fused" } else { "foreach" });
    }
}

/// Every layer, or every n-th with `ac_mode: selective` and a number (`apply_selective_activation_checkpointing`).
fn checkpointing(said: &Said, job: &mut Job) {
    let every = said.count("ac_option").filter(|every| *every > 0);
    let selective = said.word("ac_mode").as_deref() == Some("selective");
    match every.filter(|_| selective) {
        Some(every) => {
            job.set("activation_checkpointing", "full");
            job.set("checkpoint_every", every);
        }
        None if selective => job.give_up(said, "ac_mode", Matters::Yes(Lack::Checkpointing)),
        None if said.is_on("enable_activation_checkpointing") => {
            job.set("activation_checkpointing", "full");
        }
        None => {}
    }
}
