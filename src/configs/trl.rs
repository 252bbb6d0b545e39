//! TRL's `SFTConfig` and `ModelConfig` over `TrainingArguments`, as YAML or arguments.

use super::format::{Format, Phrases, Syntax};
use super::hugging_face::{self, ATTENTION, FSDP, FSDP_WITHOUT_MEMORY, LOADER};
use super::job::{Half, Job};
use super::row::As::{Count, Flag, List, Name, Real};
use super::row::Does::{Decides, File, Lacks, Sets};
use super::row::{Lack, Row};
use super::said::Said;
use super::trainer;

const SOURCE: &str = "SFTConfig and ModelConfig, trl 1.16";

/// Names of dtypes for packed weights.
pub(super) const STORAGES: &[(&str, &str)] = &[
    ("uint8", "uint8"),
    ("bfloat16", "bfloat16"),
    ("float16", "float16"),
    ("float32", "float32"),
];

/// `ModelConfig` and `SFTConfig` (trl 1.16, and spellings since 0.7).
const ROWS: &[Row] = &[
    ("model_name_or_path", Decides("model")),
    ("dtype", Decides("weights precision")),
    ("torch_dtype", Decides("weights precision")),
    ("model_init_kwargs.dtype", Decides("weights precision")),
    (
        "model_init_kwargs.torch_dtype",
        Decides("weights precision"),
    ),
    (
        "model_init_kwargs.attn_implementation",
        Decides("attention"),
    ),
    ("model_init_kwargs.use_kernels", Lacks(Lack::Kernel)),
    ("attn_implementation", Decides("attention")),
    ("use_flash_attention_2", Decides("attention")),
    ("use_peft", Decides("lora")),
    ("lora_r", Sets("lora.r", Count)),
    ("lora_dropout", Sets("lora.dropout", Real)),
    ("lora_target_modules", Sets("lora.target_modules", List)),
    (
        "lora_target_parameters",
        Sets("lora.target_parameters", List),
    ),
    ("lora_modules_to_save", Sets("lora.modules_to_save", List)),
    ("use_dora", Sets("lora.use_dora", Flag)),
    ("load_in_8bit", Decides("quantization.type")),
    ("load_in_4bit", Decides("quantization.type")),
    ("bnb_4bit_quant_type", Decides("quantization.type")),
    ("use_bnb_nested_quant", Decides("quantization.double")),
    (
        "bnb_4bit_quant_storage",
        Sets("quantization.storage", Name(STORAGES)),
    ),
    ("max_length", Sets("seq_len", Count)),
    ("max_seq_length", Sets("seq_len", Count)),
    ("model_max_length", Sets("seq_len", Count)),
    ("pad_to_multiple_of", Sets("pad_to_multiple_of", Count)),
    ("packing", Lacks(Lack::Packing)),
    ("padding_free", Lacks(Lack::Packing)),
    ("eval_packing", Lacks(Lack::Packing)),
    ("loss_type", Decides("loss")),
    ("activation_offloading", Lacks(Lack::Offload)),
    ("router_aux_loss_coef", Lacks(Lack::Loss)),
    ("max_prompt_length", Decides("seq_len")),
    (
        "max_completion_length",
        Decides("seq_len objective.kind objective.completion_tokens"),
    ),
    ("num_generations", Decides("objective.kind")),
    ("beta", Decides("objective.beta")),
    (
        "precompute_ref_log_probs",
        Decides("objective.kind objective.precompute_ref_log_probs"),
    ),
    ("ref_model_init_kwargs", Lacks(Lack::Preference)),
    ("config", File),
    ("use_vllm", Decides("objective.generation")),
    ("vllm_mode", Decides("objective.generation")),
    ("vllm_enable_sleep_mode", Decides("objective.generation")),
    (
        "vllm_gpu_memory_utilization",
        Decides("objective.vllm_gpu_memory_utilization"),
    ),
    ("num_iterations", Decides("objective.num_iterations")),
    ("vllm_*", Lacks(Lack::Generation)),
];

const WITHOUT_MEMORY: &[&str] = &[
    "model_revision",
    "lora_alpha",
    "lora_task_type",
    "use_rslora",
    "dataset_name",
    "dataset_config*",
    "dataset_train_split",
    "dataset_test_split",
    "dataset_streaming",
    "dataset_num_proc",
    "dataset_kwargs*",
    "dataset_text_field",
    "dataset_mixture*",
    "dataset_mixer*",
    "dataset_splits",
    "datasets*",
    "chat_template*",
    "eos_token",
    "pad_token",
    "truncation_mode",
    "shuffle_dataset",
    "packing_strategy",
    "completion_only_loss",
    "assistant_only_loss",
    "preprocessing_num_workers",
    "system_prompt",
    "streaming",
    "num_proc",
    "callbacks",
    "benchmarks",
    "auto_insert_empty_system_msg",
    "data_path",
    "lazy_preprocess",
    "columns",
    "overwrite_hub_revision",
    "reward_*",
    "temperature",
    "top_p",
    "top_k",
    "test_split_size",
    "model_type",
    "ignore_bias_buffers",
    "model_init_kwargs",
    "tokenizer_*",
    "scale_rewards",
    "mask_truncated_completions",
    "e2b_*",
    "code_*",
    "parallel_code_exec_per_proc",
    "cosine_*",
    "repetition_*",
    "num_completions_to_print",
    "epsilon*",
    "sync_ref_model",
    "model_code_revision",
    "use_fast_tokenizer",
    "chars_per_token",
];

const PHRASES: &[Phrases] = &[
    Phrases {
        about: &["lora.r"],
        ways: &["{}", r#"{"use_peft": true}"#],
    },
    Phrases {
        about: &["quantization.type", "quantization.double"],
        ways: &[
            "{}",
            r#"{"load_in_4bit": true}"#,
            r#"{"load_in_4bit": true, "use_bnb_nested_quant": true}"#,
            r#"{"load_in_4bit": true, "bnb_4bit_quant_type": "fp4"}"#,
            r#"{"load_in_4bit": true, "bnb_4bit_quant_type": "fp4", "use_bnb_nested_quant": true}"#,
            r#"{"load_in_8bit": true}"#,
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
            r#"{"bf16": true, "dtype": "bfloat16"}"#,
            r#"{"bf16": true, "dtype": "float16"}"#,
            r#"{"bf16": false, "dtype": "bfloat16"}"#,
            r#"{"bf16": false, "dtype": "float16"}"#,
            r#"{"bf16": false}"#,
            r#"{"fp16": true}"#,
            r#"{"fp16": true, "dtype": "float16"}"#,
            r#"{"fp16": true, "dtype": "bfloat16"}"#,
            "{}",
        ],
    },
    Phrases {
        about: &["attention"],
        ways: ATTENTION,
    },
];

pub(super) const FORMAT: Format = Format {
    name: "trl",
    rows: &[ROWS, trainer::ROWS, LOADER, FSDP],
    without_memory: &[WITHOUT_MEMORY, trainer::WITHOUT_MEMORY, FSDP_WITHOUT_MEMORY],
    telling: &[
        "model_name_or_path",
        "torch_dtype",
        "attn_implementation",
        "max_length",
        "max_seq_length",
        "model_max_length",
        "use_peft",
        "lora_r",
        "lora_target_modules",
        "dataset_name",
        "dataset_mixture*",
        "packing",
        "num_generations",
    ],
    finish,
    syntax: Syntax::Yaml,
    phrases: &[trainer::PHRASES, PHRASES],
};

fn finish(said: &Said, job: &mut Job) {
    if let Some(model) = said.get("model_name_or_path") {
        job.set("model", model.clone());
    }
    let dtypes = [
        "dtype",
        "torch_dtype",
        "model_init_kwargs.dtype",
        "model_init_kwargs.torch_dtype",
    ];
    hugging_face::dtype(said, &dtypes, job);
    trainer::arguments(said, job, true);
    // `bf16` is on unless it is said to be off, or `fp16` on (`_BaseConfig.__post_init__`, trl 1.16).
    if job.mixed.is_none() && said.flag("bf16").is_none() {
        job.mixed = Some(Half::Bf16);
        job.assumed.push(super::job::Assumed {
            key: "precision".to_owned(),
            value: "amp_bf16".into(),
            source: SOURCE,
        });
    }
    job.loaded.get_or_insert("fp32");
    for key in [
        "attn_implementation",
        "model_init_kwargs.attn_implementation",
    ] {
        hugging_face::attention(said, key, job);
    }
    if said.is_on("use_flash_attention_2") {
        job.set("attention", "flash_attention_2");
    }
    let objective = objective(said, job);
    job.assume("seq_len", 1024, SOURCE);
    let kernels = job.get("liger_kernel").is_some();
    match said.word("loss_type").as_deref() {
        // TRL's own computation of the loss for `chunked_nll`, which no scenario has.
        Some("nll") | None => {}
        // What is estimated of each objective.
        Some("dapo") if objective == Some("grpo") => {}
        Some("sigmoid") if objective == Some("dpo") => {}
        Some(_) if kernels => {}
        Some(_) => job.give_up(said, "loss_type", super::job::Matters::Yes(Lack::Loss)),
    }
    adapters(said, job);
}

/// The longest prompt and completion of GRPO where none is said.
const GENERATED: [u64; 2] = [512, 512];

/// What says how completions are generated, which trainers other than GRPO's may do, too.
const GENERATES: [&str; 4] = [
    "use_vllm",
    "vllm_mode",
    "vllm_enable_sleep_mode",
    "vllm_gpu_memory_utilization",
];

/// Which trainer the keys are of, where they are of no other: the command that starts it says it, not they.
fn objective(said: &Said, job: &mut Job) -> Option<&'static str> {
    let count = |key: &str| said.get(key).and_then(serde_json::Value::as_u64);
    let generates = ["num_generations", "max_completion_length"];
    let objective = if generates.iter().any(|key| said.get(key).is_some()) {
        let prompt = count("max_prompt_length").unwrap_or(GENERATED[0]);
        let completion = count("max_completion_length").unwrap_or(GENERATED[1]);
        job.set("seq_len", prompt.saturating_add(completion));
        job.set("objective.completion_tokens", completion);
        if let Some(beta) = said.get("beta").and_then(serde_json::Value::as_f64) {
            job.set("objective.beta", beta);
        }
        generation(said, job);
        "grpo"
    } else if said.get("precompute_ref_log_probs").is_some() {
        let before = said.is_on("precompute_ref_log_probs");
        job.set("objective.precompute_ref_log_probs", before);
        "dpo"
    } else {
        for key in ["max_prompt_length", "beta"] {
            job.give_up(said, key, super::job::Matters::Yes(Lack::Preference));
        }
        for key in GENERATES {
            job.give_up(said, key, super::job::Matters::Yes(Lack::Generation));
        }
        return None;
    };
    job.set("objective.kind", objective);
    Some(objective)
}

/// Who generates GRPO's completions: the model itself where vLLM is not asked for, or one that is a server.
fn generation(said: &Said, job: &mut Job) {
    let server = said.word("vllm_mode").as_deref() == Some("server");
    let generation = match said.is_on("use_vllm") {
        true if server => "none",
        true if said.is_on("vllm_enable_sleep_mode") => "vllm_sleep",
        true => "vllm",
        false => "model",
    };
    job.set("objective.generation", generation);
    if let Some(iterations) = said.count("num_iterations") {
        job.set("objective.num_iterations", iterations);
    }
    let share = said.get("vllm_gpu_memory_utilization");
    if let Some(share) = share.and_then(serde_json::Value::as_f64) {
        job.set("objective.vllm_gpu_memory_utilization", share);
    }
}

/// `get_peft_config` and `get_quantization_config` (`trainer/utils.py`, trl 1.16).
fn adapters(said: &Said, job: &mut Job) {
    if said.is_on("use_peft") {
        job.assume("lora.r", 16, SOURCE);
        job.assume("lora.dropout", 0.05, SOURCE);
        // `SFTTrainer.__init__`: adapters in the base's dtype, lest ZeRO-3 mixes dtypes.
        job.adapters_as_base = true;
    } else {
        job.remove("lora");
    }
    if said.is_on("load_in_4bit") {
        let kind = said.word("bnb_4bit_quant_type");
        job.set(
            "quantization.type",
            kind.unwrap_or_else(|| "nf4".to_owned()),
        );
        job.set("quantization.double", said.is_on("use_bnb_nested_quant"));
    } else if said.is_on("load_in_8bit") {
        job.set("quantization.type", "int8");
    }
    if job.get("quantization.type").is_some() {
        // `SFTTrainer` leaves what is not quantized in its dtype.
        job.set("quantization.prepare_for_kbit_training", false);
        job.set("quantization.compute_dtype", job.loaded.unwrap_or("fp32"));
        if job.get("lora").is_some() {
            job.set("lora.adapter_dtype", "base");
        }
    }
}
