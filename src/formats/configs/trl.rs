//! TRL's `SFTConfig` and `ModelConfig` over `TrainingArguments`, as YAML or arguments.

use super::format::{Format, Phrases, Syntax};
use super::hugging_face::{self, ATTENTION, FSDP, FSDP_WITHOUT_MEMORY, LOADER};
use super::job::{Half, Job};
use super::row::As::{Count, Flag, List, Name, Real};
use super::row::Does::{Decides, File, Lacks, Reads, Sets};
use super::row::{Lack, Row};
use super::said::Said;
use super::{objectives, trainer, value};

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
    ("args", Decides("precision activation_checkpointing")),
    ("accelerate_config", File),
    ("peft_config", Decides("lora")),
    ("use_peft", Decides("lora")),
    ("lora_r", Sets("lora.r", Count)),
    ("lora_dropout", Sets("lora.dropout", Real)),
    ("lora_target_modules", Reads("lora.target_modules", List)),
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
    ("packing", Decides("packing.kind micro_batch_size seq_len")),
    ("packing_strategy", Decides("packing.kind")),
    (
        "padding_free",
        Decides("packing.kind micro_batch_size seq_len"),
    ),
    ("eval_packing", Decides("packing.kind")),
    ("loss_type", Decides("objective.kind objective.loss_type")),
    ("activation_offloading", Decides("activation_offload.kind")),
    ("router_aux_loss_coef", Lacks(Lack::Loss)),
    ("config", File),
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
    "label_smoothing",
    "ref_model_mixup_alpha",
    "ref_model_sync_steps",
    "disable_dropout",
    "discopop_tau",
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
    Phrases {
        about: &["packing.kind"],
        ways: &["{}", r#"{"packing": true}"#],
    },
    Phrases {
        about: &["activation_offload.kind"],
        ways: &["{}", r#"{"activation_offloading": true}"#],
    },
    Phrases {
        about: &[
            "objective.kind",
            "objective.beta",
            "objective.precompute_ref_log_probs",
        ],
        ways: &[
            "{}",
            r#"{"precompute_ref_log_probs": false}"#,
            r#"{"precompute_ref_log_probs": true}"#,
            r#"{"desirable_weight": 1.0}"#,
            r#"{"desirable_weight": 1.0, "precompute_ref_log_probs": true}"#,
            r#"{"cpo_alpha": 1.0}"#,
            r#"{"center_rewards_coefficient": 0.01}"#,
        ],
    },
];

pub(super) const FORMAT: Format = Format {
    name: "trl",
    rows: &[ROWS, objectives::ROWS, trainer::ROWS, LOADER, FSDP],
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
    // `TrainingArguments` become an `SFTConfig` with their own defaults (`SFTTrainer.__init__`, trl 1.16).
    let plain = said.has("args");
    trainer::arguments(said, job, !plain);
    // `bf16` is on unless it is said to be off, or `fp16` on (`_BaseConfig.__post_init__`, trl 1.16).
    if job.mixed.is_none() && said.flag("bf16").is_none() && !plain {
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
    job.assume("seq_len", 1024, SOURCE);
    let objective = objectives::told(said, job);
    layer_kernels_alone(said, job);
    adapters(said, job);
    if said.is_on("activation_offloading") {
        // `OffloadActivations` with its streams (`models/activation_offloading.py`, trl 1.16).
        job.set("activation_offload.kind", "saved_tensors");
    }
    if objective.is_none() {
        packing(said, job);
        objectives::supervised(said, job);
        if job.get("objective.kind") == Some(&"sft".into()) {
            never_padded(job);
        }
    } else {
        objectives::loss(said, objective, job);
    }
}

/// Liger's kernels stand in for layers; the loss stays the trainer's own (`_patch_liger_kernel` in `sft_trainer.py` and
/// `dpo_trainer.py`, trl 1.16).
fn layer_kernels_alone(said: &Said, job: &mut Job) {
    if job.get("liger_kernel") == Some(&vec!["all"].into()) && !said.has("args") {
        job.set("liger_kernel", vec!["layers"]);
    }
}

/// A batch of one sample needs no padding, and its mask, which hides nothing, is left out by the model.
fn never_padded(job: &mut Job) {
    let one = job.count("micro_batch_size") == Some(1);
    if one && job.get("pad_to_multiple_of").is_none() && job.get("packing.kind").is_none() {
        job.assume("padding_mask", false, SOURCE);
    }
}

/// Samples in one row with their positions, as the strategies that keep them whole are collated; the others cut rows of
/// full length, as samples are estimated anyway (`SFTTrainer.__init__`).
fn packing(said: &Said, job: &mut Job) {
    let strategy = said.word("packing_strategy");
    let wrapped = strategy.as_deref() == Some("wrapped");
    if said.is_on("padding_free") || said.is_on("packing") && !wrapped {
        job.flatten("padding_free");
    }
}

/// `get_peft_config` and `get_quantization_config` (`trainer/utils.py`, trl 1.16).
fn adapters(said: &Said, job: &mut Job) {
    if said.is_on("use_peft") {
        job.assume("lora.r", 16, SOURCE);
        job.assume("lora.dropout", 0.05, SOURCE);
        // `SFTTrainer.__init__`: adapters in the base's dtype, lest ZeRO-3 mixes dtypes.
        job.adapters_as_base = true;
        if let Some(given) = said
            .get("lora_target_modules")
            .filter(|given| !value::is_off(given))
        {
            job.set_targets(given);
        }
    } else if said.has("peft_config") {
        job.adapters_as_base = said.is_on("peft_config");
    } else {
        job.remove("lora");
    }
    let own = said.is_on("load_in_4bit") || said.is_on("load_in_8bit");
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
        // `SFTTrainer` leaves weights that are not quantized in their dtype, also where the script has quantized the
        // model before.
        if own {
            job.set("quantization.prepare_for_kbit_training", false);
            job.set("quantization.compute_dtype", job.loaded.unwrap_or("fp32"));
        }
        if said.is_on("use_peft") || said.is_on("peft_config") {
            job.set("lora.adapter_dtype", "base");
        }
    }
}
