//! axolotl's YAML.

use super::format::{Format, Phrases, Syntax};
use super::hugging_face::{self, FSDP, FSDP_WITHOUT_MEMORY, LOADER};
use super::job::{Half, Job, Matters, Wrapper};
use super::row::As::{Count, Flag, List, Real};
use super::row::Does::{Decides, File, Lacks, Reads, Sets};
use super::row::{Lack, Row};
use super::said::Said;
use super::value;
use super::without_memory;

const SOURCE: &str = "utils/schemas, axolotl 0.19";

/// `utils/schemas/*.py` (axolotl 0.19, and spellings of old).
const ROWS: &[Row] = &[
    ("base_model", Decides("model")),
    ("model_type", Decides("task")),
    ("num_labels", Decides("task")),
    ("sequence_len", Sets("seq_len", Count)),
    ("micro_batch_size", Sets("micro_batch_size", Count)),
    ("batch_size", Decides("gradient_accumulation_steps")),
    (
        "gradient_accumulation_steps",
        Sets("gradient_accumulation_steps", Count),
    ),
    ("optimizer", Decides("optimizer.name optimizer.impl")),
    ("optim_target_modules", Lacks(Lack::Optimizer)),
    ("bf16", Decides("precision weights")),
    ("bfloat16", Decides("precision weights")),
    ("fp16", Decides("precision weights")),
    ("float16", Decides("precision weights")),
    ("float32", Decides("precision weights")),
    ("adapter", Decides("lora")),
    ("lora_r", Sets("lora.r", Count)),
    ("lora_dropout", Sets("lora.dropout", Real)),
    ("lora_target_modules", Reads("lora.target_modules", List)),
    ("lora_target_linear", Decides("lora.target_modules")),
    (
        "lora_target_parameters",
        Sets("lora.target_parameters", List),
    ),
    ("lora_modules_to_save", Sets("lora.modules_to_save", List)),
    ("peft_use_dora", Sets("lora.use_dora", Flag)),
    ("peft_autocast_adapter_dtype", Decides("lora.adapter_dtype")),
    ("peft_layers_to_transform", Lacks(Lack::Adapter)),
    ("peft_layer_replication", Lacks(Lack::Adapter)),
    ("peft_trainable_token_indices", Lacks(Lack::Adapter)),
    ("lora_rank_pattern", Lacks(Lack::Adapter)),
    ("peft.loftq_config.loftq_bits", Lacks(Lack::Quantization)),
    ("lora_mlp_kernel", Lacks(Lack::Kernel)),
    ("lora_qkv_kernel", Lacks(Lack::Kernel)),
    ("lora_o_kernel", Lacks(Lack::Kernel)),
    ("lora_embedding_kernel", Lacks(Lack::Kernel)),
    ("relora*", Lacks(Lack::Adapter)),
    ("load_in_4bit", Decides("quantization.type")),
    ("load_in_8bit", Decides("quantization.type")),
    ("gptq", Lacks(Lack::Quantization)),
    ("bnb_config_kwargs.*", Lacks(Lack::Quantization)),
    ("quantize_moe_experts", Lacks(Lack::Quantization)),
    ("model_quantization_config*", Lacks(Lack::Quantization)),
    ("qat.*", Lacks(Lack::Quantization)),
    ("quantization.*", Lacks(Lack::Quantization)),
    ("fp8*", Lacks(Lack::Fp8)),
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
    ("selective_checkpointing*", Lacks(Lack::Checkpointing)),
    ("activation_offloading", Lacks(Lack::Offload)),
    ("layer_offloading", Lacks(Lack::Offload)),
    ("ple_cpu_offload", Lacks(Lack::Offload)),
    ("attn_implementation", Decides("attention")),
    ("flash_attention", Decides("attention")),
    ("sdp_attention", Decides("attention")),
    ("eager_attention", Decides("attention")),
    ("xformers_attention", Lacks(Lack::Attention)),
    ("flex_attention", Lacks(Lack::Attention)),
    ("sage_attention", Lacks(Lack::Attention)),
    ("s2_attention", Lacks(Lack::Attention)),
    ("flash_attn_cross_entropy", Lacks(Lack::Loss)),
    ("flash_attn_fuse_mlp", Lacks(Lack::Kernel)),
    ("sample_packing", Lacks(Lack::Packing)),
    ("eval_sample_packing", Lacks(Lack::Packing)),
    ("max_packed_sequence_len", Lacks(Lack::Packing)),
    ("multipack_real_batches", Lacks(Lack::Packing)),
    ("batch_flattening", Lacks(Lack::Packing)),
    ("pretraining_sample_concatenation", Lacks(Lack::Packing)),
    ("pad_to_sequence_len", Decides("seq_len")),
    ("pad_to_multiple_of", Sets("pad_to_multiple_of", Count)),
    ("group_by_length", Lacks(Lack::Lengths)),
    ("datasets", Lacks(Lack::Lengths)),
    ("val_set_size", Decides("evaluation.kind")),
    ("test_datasets", Decides("evaluation.kind")),
    ("evals_per_epoch", Decides("evaluation.kind")),
    ("eval_steps", Decides("evaluation.kind")),
    ("eval_strategy", Decides("evaluation.kind")),
    (
        "eval_batch_size",
        Reads("evaluation.micro_batch_size", Count),
    ),
    ("eval_sequence_len", Lacks(Lack::Data)),
    ("do_causal_lm_eval", Lacks(Lack::Data)),
    ("num_epochs", Sets("dataset.epochs", Count)),
    ("plugins", Decides("liger_kernel")),
    ("liger_rope", Decides("liger_kernel")),
    ("liger_rms_norm", Decides("liger_kernel")),
    ("liger_glu_activation", Decides("liger_kernel")),
    ("liger_swiglu", Decides("liger_kernel")),
    ("liger_cross_entropy", Decides("liger_kernel")),
    ("liger_fused_linear_cross_entropy", Decides("liger_kernel")),
    ("liger_layer_norm", Lacks(Lack::Kernel)),
    ("liger_rms_norm_gated", Lacks(Lack::Kernel)),
    ("cut_cross_entropy", Lacks(Lack::Loss)),
    ("chunked_cross_entropy*", Lacks(Lack::Loss)),
    ("tiled_mlp*", Lacks(Lack::Kernel)),
    ("use_kernels", Lacks(Lack::Kernel)),
    ("llama4_linearized_experts", Lacks(Lack::Model)),
    ("model_config.*", Lacks(Lack::Model)),
    ("fused_attn_kernel", Lacks(Lack::Kernel)),
    ("gemma4_hybrid_attn_impl", Lacks(Lack::Attention)),
    ("use_onebitllms", Lacks(Lack::Quantization)),
    ("use_eaft", Lacks(Lack::Loss)),
    ("evaluation_strategy", Decides("evaluation.kind")),
    ("use_scattermoe", Lacks(Lack::Kernel)),
    ("use_sonicmoe", Lacks(Lack::Kernel)),
    ("experts_implementation", Lacks(Lack::Kernel)),
    ("unsloth_*", Lacks(Lack::Kernel)),
    ("neftune_noise_alpha", Lacks(Lack::Model)),
    ("resize_token_embeddings_to_32x", Lacks(Lack::Model)),
    ("tokens", Lacks(Lack::Model)),
    ("unfrozen_parameters", Lacks(Lack::Frozen)),
    ("freeze_mm_modules", Lacks(Lack::Frozen)),
    ("lisa_*", Lacks(Lack::Frozen)),
    ("rl", Lacks(Lack::Preference)),
    ("rl_beta", Lacks(Lack::Preference)),
    ("reward_model", Lacks(Lack::Preference)),
    ("process_reward_model", Lacks(Lack::Preference)),
    ("dpo_*", Lacks(Lack::Preference)),
    ("orpo_alpha", Lacks(Lack::Preference)),
    ("ebft*", Lacks(Lack::Preference)),
    ("trl.*", Lacks(Lack::Preference)),
    ("vllm.*", Lacks(Lack::Generation)),
    ("torch_compile", Lacks(Lack::Compile)),
    ("deepcompile", Lacks(Lack::Compile)),
    ("fsdp", Decides("parallelism.dp.kind")),
    ("dp_shard_size", Sets("parallelism.dp.shard_size", Count)),
    (
        "dp_replicate_size",
        Sets("parallelism.dp.replicate_size", Count),
    ),
    ("tensor_parallel_size", Reads("parallelism.tp.size", Count)),
    ("context_parallel_size", Lacks(Lack::Parallelism)),
    ("sequence_parallel_degree", Lacks(Lack::Parallelism)),
    ("expert_parallel_size", Lacks(Lack::Parallelism)),
    ("deepspeed", File),
    ("lora_model_dir", File),
    ("gpu_memory_limit", Lacks(Lack::Data)),
    ("max_memory*", Lacks(Lack::Data)),
    ("device_map", Lacks(Lack::Parallelism)),
    ("torch_empty_cache_steps", Lacks(Lack::Data)),
    ("diffusion*", Lacks(Lack::Loss)),
    ("kd_*", Lacks(Lack::Loss)),
];

const PHRASES: &[Phrases] = &[
    Phrases {
        about: &["optimizer.name", "optimizer.impl"],
        ways: &[
            r#"{"optimizer": "adamw_torch"}"#,
            r#"{"optimizer": "adamw_torch_fused"}"#,
            r#"{"optimizer": "adafactor"}"#,
            r#"{"optimizer": "sgd"}"#,
            r#"{"optimizer": "adagrad"}"#,
            r#"{"optimizer": "rmsprop"}"#,
            r#"{"optimizer": "adamw_bnb_8bit"}"#,
            r#"{"optimizer": "paged_adamw_32bit"}"#,
            r#"{"optimizer": "paged_adamw_8bit"}"#,
            r#"{"optimizer": "adamw_torch_8bit"}"#,
            r#"{"optimizer": "ao_adamw_4bit"}"#,
            r#"{"optimizer": "ao_adamw_fp8"}"#,
            r#"{"optimizer": "schedule_free_adamw"}"#,
            r#"{"optimizer": "schedule_free_sgd"}"#,
            r#"{"optimizer": "lion_8bit"}"#,
            "{}",
        ],
    },
    Phrases {
        about: &["parallelism.dp.kind"],
        ways: &[
            "{}",
            r#"{"fsdp_version": 2, "fsdp_config": {"auto_wrap_policy": "TRANSFORMER_BASED_WRAP"}}"#,
            r#"{"fsdp": ["full_shard", "auto_wrap"]}"#,
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
            r#"{"fsdp_config": {"fsdp_sharding_strategy": "SHARD_GRAD_OP"}}"#,
            r#"{"fsdp_config": {"fsdp_sharding_strategy": "HYBRID_SHARD"}}"#,
            r#"{"fsdp_config": {"fsdp_sharding_strategy": "HYBRID_SHARD_ZERO2"}}"#,
            r#"{"fsdp_config": {"fsdp_sharding_strategy": "NO_SHARD"}}"#,
        ],
    },
    Phrases {
        about: &["lora.r", "quantization.type"],
        ways: &[
            "{}",
            r#"{"adapter": "lora"}"#,
            r#"{"adapter": "qlora", "load_in_4bit": true}"#,
            r#"{"adapter": "lora", "load_in_8bit": true}"#,
        ],
    },
    Phrases {
        about: &[
            "precision",
            "weights",
            "quantization.compute_dtype",
            "parallelism.dp.mixed_precision.param",
        ],
        ways: &[
            r#"{"bf16": true}"#,
            r#"{"bf16": false, "fp16": true}"#,
            r#"{"bfloat16": true, "bf16": false}"#,
            r#"{"bf16": false}"#,
            "{}",
        ],
    },
    Phrases {
        about: &["activation_checkpointing"],
        ways: &[
            r#"{"gradient_checkpointing": true}"#,
            r#"{"gradient_checkpointing": true, "gradient_checkpointing_kwargs": {"use_reentrant": true}}"#,
            "{}",
        ],
    },
    Phrases {
        about: &["attention"],
        ways: &[
            r#"{"attn_implementation": "sdpa"}"#,
            r#"{"attn_implementation": "eager"}"#,
            r#"{"attn_implementation": "flash_attention_2"}"#,
            "{}",
        ],
    },
    Phrases {
        about: &["evaluation.kind"],
        ways: &["{}", r#"{"val_set_size": 0.05}"#],
    },
];

pub(super) const FORMAT: Format = Format {
    name: "axolotl",
    rows: &[ROWS, LOADER, FSDP],
    without_memory: &[without_memory::AXOLOTL, FSDP_WITHOUT_MEMORY],
    telling: &[
        "base_model",
        "sequence_len",
        "datasets",
        "adapter",
        "val_set_size",
        "sample_packing",
        "num_epochs",
        "evals_per_epoch",
        "saves_per_epoch",
        "dataset_prepared_path",
        "pad_to_sequence_len",
    ],
    finish,
    syntax: Syntax::Yaml,
    phrases: &[PHRASES],
};

fn finish(said: &Said, job: &mut Job) {
    if let Some(model) = said.get("base_model") {
        job.set("model", model.clone());
    }
    if said
        .word("model_type")
        .is_some_and(|name| name.contains("forsequenceclassification"))
    {
        job.set("task", "sequence_classification");
    }
    precision(said, job);
    hugging_face::optimizer(said, "optimizer", job);
    let keys = ["gradient_checkpointing", "gradient_checkpointing_kwargs"];
    if said
        .word("gradient_checkpointing")
        .is_some_and(|word| word.starts_with("offload"))
    {
        job.set("activation_checkpointing", "full");
        job.give_up(said, "gradient_checkpointing", Matters::Yes(Lack::Offload));
    } else {
        hugging_face::checkpointing(said, keys, false, job);
    }
    hugging_face::attention(said, "attn_implementation", job);
    for (key, name) in [
        ("flash_attention", "flash_attention_2"),
        ("sdp_attention", "sdpa"),
        ("eager_attention", "eager"),
    ] {
        if said.is_on(key) {
            job.set("attention", name);
        }
    }
    evaluation(said, job);
    kernels(said, job);
    if said.has_within("fsdp_config.") || !said.list("fsdp").is_empty() {
        hugging_face::fsdp(said, job);
    }
    if let Some(size) = said.count("tensor_parallel_size").filter(|size| *size > 1) {
        job.set("parallelism.tp.size", size);
        job.set("parallelism.tp.plan", "transformers");
    }
    job.several = Some(Wrapper::Ddp);
    job.assume("micro_batch_size", 1, SOURCE);
    let each = job.count("micro_batch_size").unwrap_or(1).max(1);
    if let Some(all) = said.count("batch_size")
        && !said.has("gradient_accumulation_steps")
    {
        job.set("gradient_accumulation_steps", (all / each).max(1));
    }
    job.assume("optimizer.name", "adamw", SOURCE);
    if job.get("optimizer.name") == Some(&"adamw".into()) {
        job.assume("optimizer.impl", "fused", SOURCE);
    }
    job.assume("seq_len", 512, SOURCE);
    job.assume("clip_grad_norm", true, SOURCE);
    job.assume("dataloader.num_workers", 0, SOURCE);
    job.assume("autocast_style", "accelerate", SOURCE);
    adapters(said, job);
}

/// `resolve_dtype` (`utils/config/__init__.py`, axolotl 0.19), on GPUs that have bfloat16.
fn precision(said: &Said, job: &mut Job) {
    let word = said.word("bf16").unwrap_or_else(|| "auto".to_owned());
    let fp16 = said.is_on("fp16");
    let bf16 = match word.as_str() {
        "auto" => !fp16,
        word => matches!(word, "true" | "full"),
    };
    if bf16 && word != "full" {
        job.mixed = Some(Half::Bf16);
    } else if fp16 {
        job.mixed = Some(Half::Fp16);
    }
    job.loaded = Some(if bf16 || said.is_on("bfloat16") {
        "bf16"
    } else if said.is_on("load_in_8bit") || fp16 || said.is_on("float16") {
        "fp16"
    } else {
        "fp32"
    });
}

fn evaluation(said: &Said, job: &mut Job) {
    let splits = said
        .get("val_set_size")
        .and_then(value::real)
        .is_some_and(|size| size > 0.0);
    let never = said.count("evals_per_epoch") == Some(0)
        || said.word("eval_strategy").as_deref() == Some("no");
    if (splits || said.has("test_datasets")) && !never {
        let batch = said.count("eval_batch_size");
        hugging_face::evaluation(said, Some("steps".to_owned()), batch, job);
        if let Some(batch) = job.get("micro_batch_size").cloned() {
            job.assume("evaluation.micro_batch_size", batch, SOURCE);
        }
    }
}

/// The plugin for Liger's kernels and its options (`integrations/liger`), and others.
fn kernels(said: &Said, job: &mut Job) {
    let plugins = said.list("plugins");
    let known = |name: &String| name.to_ascii_lowercase().contains("liger");
    if plugins.iter().any(|name| !known(name)) {
        let loss = plugins
            .iter()
            .any(|name| name.contains("cut_cross_entropy"));
        let lack = if loss { Lack::Loss } else { Lack::Kernel };
        job.give_up(said, "plugins", Matters::Yes(lack));
    }
    let named = [
        ("liger_rope", "rope"),
        ("liger_rms_norm", "rms_norm"),
        ("liger_glu_activation", "swiglu"),
        ("liger_swiglu", "swiglu"),
        ("liger_cross_entropy", "cross_entropy"),
        (
            "liger_fused_linear_cross_entropy",
            "fused_linear_cross_entropy",
        ),
    ];
    let named = named.iter().filter(|(key, _)| said.is_on(key));
    let mut kernels: Vec<&str> = named.map(|(_, name)| *name).collect();
    kernels.dedup();
    if !kernels.is_empty() {
        job.set("liger_kernel", kernels);
    }
}

/// `loaders/adapter.py` and `loaders/model.py`.
fn adapters(said: &Said, job: &mut Job) {
    let adapter = said.word("adapter");
    match adapter.as_deref() {
        Some("lora" | "qlora") => {
            job.assume("lora.r", 8, "LoraConfig, peft 0.21");
            let targets = said.list("lora_target_modules");
            if said.is_on("lora_target_linear") {
                job.set("lora.target_modules", vec!["all-linear"]);
            } else if targets
                .iter()
                .any(|name| name.contains(['(', '*', '\\', '|']))
            {
                job.give_up(said, "lora_target_modules", Matters::Yes(Lack::Adapter));
            } else if !targets.is_empty() {
                job.set("lora.target_modules", targets);
            }
            if said.flag("peft_autocast_adapter_dtype") == Some(false) {
                job.set("lora.adapter_dtype", "base");
            }
        }
        other => {
            job.remove("lora");
            if other.is_some_and(|name| !name.is_empty()) {
                job.give_up(said, "adapter", Matters::Yes(Lack::Adapter));
            }
        }
    }
    let dtype = job.loaded.unwrap_or("fp32");
    let adapter = adapter.as_deref();
    if adapter == Some("qlora") && said.is_on("load_in_4bit") {
        job.set("quantization.type", "nf4");
        job.set("quantization.double", true);
        job.set("quantization.storage", "bfloat16");
    } else if adapter == Some("lora") && said.is_on("load_in_8bit") {
        job.set("quantization.type", "int8");
    } else {
        return;
    }
    job.set("quantization.compute_dtype", dtype);
    // Left out under FSDP and ZeRO-3, so that all is of one dtype (`_prepare_model_for_quantization`).
    job.plain_when_sharded = true;
}
