//! LLaMA-Factory's YAML, over `TrainingArguments`.

mod adapters;

use super::format::{Format, Phrases, Syntax};
use super::hugging_face::{self, FSDP, FSDP_WITHOUT_MEMORY, LOADER};
use super::job::{Job, Matters};
use super::row::As::{Count, Flag, List, Real};
use super::row::Does::{Decides, File, Lacks, Reads, Sets};
use super::row::{Lack, Row};
use super::said::Said;
use super::trainer;
use super::value;

const SOURCE: &str = "hparams, llamafactory 0.9.5";

/// `hparams/*_args.py` (llamafactory 0.9.5).
const ROWS: &[Row] = &[
    ("model_name_or_path", Decides("model")),
    ("stage", Decides("objective.kind")),
    ("finetuning_type", Decides("lora")),
    ("cutoff_len", Sets("seq_len", Count)),
    ("lora_rank", Sets("lora.r", Count)),
    ("lora_target", Reads("lora.target_modules", List)),
    ("lora_dropout", Sets("lora.dropout", Real)),
    ("additional_target", Sets("lora.modules_to_save", List)),
    ("use_dora", Sets("lora.use_dora", Flag)),
    ("quantization_bit", Decides("quantization.type")),
    ("quantization_method", Decides("quantization.type")),
    ("quantization_type", Decides("quantization.type")),
    ("double_quantization", Decides("quantization.double")),
    ("flash_attn", Decides("attention")),
    ("enable_liger_kernel", Decides("liger_kernel")),
    (
        "disable_gradient_checkpointing",
        Decides("activation_checkpointing"),
    ),
    ("use_reentrant_gc", Decides("activation_checkpointing")),
    ("use_unsloth_gc", Decides("activation_offload.kind")),
    ("use_unsloth", Lacks(Lack::Kernel)),
    ("use_v1_kernels", Lacks(Lack::Kernel)),
    ("upcast_layernorm", Lacks(Lack::Model)),
    ("upcast_lmhead_output", Lacks(Lack::Model)),
    ("shift_attn", Lacks(Lack::Attention)),
    ("mixture_of_depths", Lacks(Lack::Model)),
    ("moe_aux_loss_coef", Lacks(Lack::Loss)),
    ("resize_vocab", Lacks(Lack::Model)),
    ("add_tokens", Lacks(Lack::Model)),
    ("add_special_tokens", Lacks(Lack::Model)),
    ("new_special_tokens_config", Lacks(Lack::Model)),
    ("rope_scaling", Lacks(Lack::Model)),
    ("packing", Decides("seq_len")),
    ("neat_packing", Decides("packing.kind")),
    ("use_packed_sequences", Lacks(Lack::Packing)),
    ("val_size", Decides("evaluation.kind")),
    ("eval_dataset", Decides("evaluation.kind")),
    ("freeze_vision_tower", Decides("frozen")),
    ("freeze_multi_modal_projector", Decides("frozen")),
    ("freeze_language_model", Decides("frozen")),
    ("freeze_trainable_layers", Decides("frozen")),
    ("freeze_trainable_modules", Decides("frozen")),
    ("freeze_extra_modules", Lacks(Lack::Frozen)),
    ("use_llama_pro", Decides("frozen")),
    ("image_max_pixels", Sets("max_pixels", Count)),
    ("image_min_pixels", Sets("min_pixels", Count)),
    ("video_*", Lacks(Lack::Data)),
    ("audio_*", Lacks(Lack::Data)),
    ("pref_loss", Decides("objective.kind")),
    ("pref_ftx", Lacks(Lack::Preference)),
    ("ref_model", Decides("objective.kind")),
    ("ref_model_adapters", File),
    ("ref_model_quantization_bit", Lacks(Lack::Preference)),
    ("reward_model*", Lacks(Lack::Preference)),
    ("ppo_*", Lacks(Lack::Preference)),
    ("oft_rank", Decides("lora.r")),
    ("oft_block_size", Decides("lora.r")),
    ("oft_target", Decides("lora.target_modules")),
    ("module_dropout", Lacks(Lack::Adapter)),
    ("use_galore", Lacks(Lack::Decomposition)),
    ("galore_*", Lacks(Lack::Decomposition)),
    ("use_apollo", Decides("optimizer.name")),
    ("apollo_rank", Reads("optimizer.rank", Count)),
    ("apollo_scale_type", Decides("optimizer.name")),
    ("apollo_target", Decides("optimizer.name")),
    ("apollo_proj", Decides("optimizer.name")),
    ("apollo_layerwise", Lacks(Lack::Optimizer)),
    ("use_badam", Lacks(Lack::Optimizer)),
    ("badam_*", Lacks(Lack::Optimizer)),
    ("use_adam_mini", Decides("optimizer.name")),
    ("use_muon", Lacks(Lack::Optimizer)),
    ("fp8*", Lacks(Lack::Fp8)),
    ("use_dft_loss", Lacks(Lack::Loss)),
    ("use_asft_loss", Lacks(Lack::Loss)),
    ("use_eaft_loss", Lacks(Lack::Loss)),
    ("use_kt", Lacks(Lack::Offload)),
    ("kt_*", Lacks(Lack::Offload)),
    ("use_mca", Lacks(Lack::Parallelism)),
    ("use_hyper_parallel", Lacks(Lack::Parallelism)),
    ("hyper_parallel_args", Lacks(Lack::Parallelism)),
    ("pipeline_model_parallel_size", Lacks(Lack::Parallelism)),
    ("tensor_model_parallel_size", Lacks(Lack::Parallelism)),
    ("context_parallel_size", Lacks(Lack::Parallelism)),
    ("expert_model_parallel_size", Lacks(Lack::Parallelism)),
    (
        "virtual_pipeline_model_parallel_size",
        Lacks(Lack::Parallelism),
    ),
    ("sequence_parallel", Lacks(Lack::Parallelism)),
    ("use_distributed_optimizer", Lacks(Lack::Parallelism)),
    ("recompute_granularity", Lacks(Lack::Checkpointing)),
    ("mixed_precision", Lacks(Lack::Parallelism)),
    ("moe_*", Lacks(Lack::Parallelism)),
    ("ray_num_workers", Sets("hardware.gpus_per_node", Count)),
    ("adapter_name_or_path", File),
];

const WITHOUT_MEMORY: &[&str] = &[
    "template",
    "dataset",
    "dataset_dir",
    "media_dir",
    "train_on_prompt",
    "mask_history",
    "streaming",
    "buffer_size",
    "mix_strategy",
    "interleave_probs",
    "overwrite_cache",
    "preprocessing_*",
    "max_samples",
    "eval_num_beams",
    "ignore_pad_token_for_loss",
    "eval_on_each_dataset",
    "tool_format",
    "default_system",
    "enable_thinking",
    "preserve_thinking",
    "tokenized_path",
    "data_shared_file_system",
    "lora_alpha",
    "loraplus_*",
    "use_rslora",
    "pissa_*",
    "create_new_adapter",
    "plot_loss",
    "compute_accuracy",
    "disable_shuffling",
    "early_stopping_steps",
    "include_effective_tokens_per_second",
    "use_swanlab",
    "swanlab_*",
    "infer_*",
    "use_fast_tokenizer",
    "split_special_tokens",
    "init_special_tokens",
    "model_revision",
    "low_cpu_mem_usage",
    "offload_folder",
    "use_kv_cache",
    "hf_hub_token",
    "ms_hub_token",
    "om_hub_token",
    "print_param_status",
    "export_*",
    "vllm_*",
    "sglang_*",
    "asft_alpha",
    "eaft_alpha",
    "ray_*",
    "master_*",
    "do_sample",
    "max_new_tokens",
    "top_p",
    "top_k",
    "temperature",
    "crop_to_patches",
    "use_audio_in_video",
    "bias_activation_fusion",
    "adapter_folder",
    "placement_strategy",
    "resources_per_worker",
    "report_*",
    "enable_torch_profiler",
    "profile*",
    "apply_rope_fusion",
    "train_from_scratch",
    "quantization_device_map",
    "image_do_pan_and_scan",
    "eval_batch_size",
    "ld_alpha",
    "overlap_*",
    "distributed_timeout_minutes",
    "save_hf_model",
    "badam_verbose",
    "apollo_*",
    "pref_beta",
    "pref_bco_weight",
    "dpo_label_smoothing",
    "kto_*",
    "simpo_gamma",
];

const PHRASES: &[Phrases] = &[
    Phrases {
        about: &["lora.r"],
        ways: &[
            r#"{"finetuning_type": "lora"}"#,
            r#"{"finetuning_type": "full"}"#,
        ],
    },
    Phrases {
        about: &["quantization.type", "quantization.double"],
        ways: &[
            "{}",
            r#"{"quantization_bit": 4, "quantization_method": "bnb"}"#,
            r#"{"quantization_bit": 4, "quantization_method": "bnb", "double_quantization": false}"#,
            r#"{"quantization_bit": 4, "quantization_method": "bnb", "quantization_type": "fp4"}"#,
            r#"{"quantization_bit": 8, "quantization_method": "bnb"}"#,
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
            r#"{"pure_bf16": true}"#,
            r#"{"fp16": true}"#,
            "{}",
        ],
    },
    Phrases {
        about: &["attention"],
        ways: &[
            r#"{"flash_attn": "sdpa"}"#,
            r#"{"flash_attn": "disabled"}"#,
            r#"{"flash_attn": "fa2"}"#,
            "{}",
        ],
    },
    Phrases {
        about: &["activation_checkpointing"],
        ways: &[
            r#"{"use_reentrant_gc": false}"#,
            r#"{"disable_gradient_checkpointing": true}"#,
            "{}",
        ],
    },
    Phrases {
        about: &["evaluation.kind"],
        ways: &["{}", r#"{"val_size": 0.1, "eval_strategy": "steps"}"#],
    },
    Phrases {
        about: &["liger_kernel"],
        ways: &["{}", r#"{"enable_liger_kernel": true}"#],
    },
    Phrases {
        about: &["optimizer.name", "optimizer.impl"],
        ways: &[
            "{}",
            r#"{"use_adam_mini": true}"#,
            r#"{"use_apollo": true, "apollo_rank": 128}"#,
            r#"{"use_apollo": true, "apollo_rank": 1, "apollo_scale_type": "tensor"}"#,
        ],
    },
    Phrases {
        about: &["packing.kind"],
        ways: &["{}", r#"{"neat_packing": true}"#],
    },
    Phrases {
        about: &["activation_offload.kind"],
        ways: &["{}", r#"{"use_unsloth_gc": true}"#],
    },
    Phrases {
        about: &["objective.kind"],
        ways: &[
            "{}",
            r#"{"stage": "dpo"}"#,
            r#"{"stage": "kto"}"#,
            r#"{"stage": "dpo", "pref_loss": "orpo"}"#,
            r#"{"stage": "dpo", "pref_loss": "simpo"}"#,
        ],
    },
    Phrases {
        about: &["frozen"],
        ways: &[
            "{}",
            r#"{"freeze_vision_tower": false, "freeze_multi_modal_projector": false}"#,
            r#"{"freeze_multi_modal_projector": false}"#,
            r#"{"freeze_vision_tower": false}"#,
        ],
    },
];

pub(super) const FORMAT: Format = Format {
    name: "llama-factory",
    rows: &[ROWS, trainer::ROWS, LOADER, FSDP],
    without_memory: &[WITHOUT_MEMORY, trainer::WITHOUT_MEMORY, FSDP_WITHOUT_MEMORY],
    telling: &[
        "stage",
        "finetuning_type",
        "cutoff_len",
        "lora_rank",
        "lora_target",
        "template",
        "quantization_bit",
        "overwrite_cache",
        "dataset_dir",
        "max_samples",
        "plot_loss",
        "infer_backend",
        "export_dir",
    ],
    finish,
    syntax: Syntax::Yaml,
    phrases: &[trainer::PHRASES, PHRASES],
};

fn finish(said: &Said, job: &mut Job) {
    if let Some(model) = said.get("model_name_or_path") {
        job.set("model", model.clone());
    }
    job.before_accelerate_1_14 = true; // LLaMA-Factory 0.9.5 allows 1.11 at most.
    trainer::arguments(said, job, false);
    optimizer(said, job);
    job.set("optimizer.by_trainer", true);
    if said.is_on("enable_liger_kernel") {
        job.set("liger_kernel", vec!["all"]);
    }
    hugging_face::attention(said, "flash_attn", job);
    // On by default, reentrant but under FSDP2 (`model_utils/checkpointing.py`).
    let fsdp2 = job.wrapper == Some(super::job::Wrapper::Fsdp2);
    let reentrant = said.flag("use_reentrant_gc").unwrap_or(true) && !fsdp2;
    let kind = match (said.is_on("disable_gradient_checkpointing"), reentrant) {
        (true, _) => "none",
        (_, true) => "full_reentrant",
        (_, false) => "full",
    };
    job.set("activation_checkpointing", kind);
    if said.is_on("use_unsloth_gc") && kind != "none" {
        job.set("activation_checkpointing", "full_reentrant");
        job.set("activation_offload.kind", "layer_inputs");
    }
    job.assume("seq_len", 2048, SOURCE);
    let splits = said
        .get("val_size")
        .and_then(value::real)
        .is_some_and(|size| size > 0.0);
    if !splits && !said.has("eval_dataset") {
        job.remove("evaluation");
    }
    frozen(said, job);
    adapters::set(said, job);
    objective(said, job);
    if said.is_on("neat_packing") && job.get("objective").is_none() {
        // Flash attention is given no mask; of the others the mask is one of 16 bits, made while collating.
        job.set("packing.kind", "position_ids");
    }
}

/// `create_custom_optimizer` (`train/trainer_utils.py`, llamafactory 0.9.5), whose APOLLO is of every linear layer.
fn optimizer(said: &Said, job: &mut Job) {
    if said.is_on("use_apollo") {
        job.remove("optimizer");
        let rank = said.count("apollo_rank").unwrap_or(16);
        let by_tensor = said.word("apollo_scale_type").as_deref() == Some("tensor");
        hugging_face::apollo(rank, by_tensor, job);
        let whole = said.list("apollo_target");
        for (key, other) in [
            ("apollo_target", !whole.is_empty() && whole != ["all"]),
            (
                "apollo_proj",
                said.word("apollo_proj")
                    .is_some_and(|kind| kind != "random"),
            ),
        ] {
            if other {
                job.give_up(said, key, Matters::Yes(Lack::Optimizer));
            }
        }
    } else if said.is_on("use_adam_mini") {
        job.remove("optimizer");
        job.set("optimizer.name", "adam_mini");
    }
}

/// `CustomDPOTrainer` and `CustomKTOTrainer` (`train/dpo`, `train/kto`, llamafactory 0.9.5).
fn objective(said: &Said, job: &mut Job) {
    let stage = said.word("stage");
    let loss = said.word("pref_loss");
    let kind = match (stage.as_deref(), loss.as_deref()) {
        (Some("dpo"), Some("orpo")) => "orpo",
        (Some("dpo"), Some("simpo")) => "cpo",
        (Some("dpo"), _) => "dpo",
        (Some("kto"), _) => "kto",
        (None | Some("sft" | "pt"), _) => return,
        (Some(_), _) => return job.give_up(said, "stage", Matters::Yes(Lack::Preference)),
    };
    job.set("objective.kind", kind);
    if matches!(kind, "dpo" | "kto") {
        job.set("objective.log_probs", "log_softmax");
    }
}

/// Parts of a model with images that stay as they are where all else is trained
/// (`get_forbidden_modules`, `model_utils/visual.py`): Qwen's are known by their names.
fn frozen(said: &Said, job: &mut Job) {
    let name = said.word("model_name_or_path").unwrap_or_default();
    let full = said.word("finetuning_type").as_deref() == Some("full");
    let parts: [hugging_face::Part; 3] = [
        (
            "freeze_vision_tower",
            true,
            &["visual.patch_embed", "visual.blocks"],
        ),
        ("freeze_multi_modal_projector", true, &["visual.merger"]),
        (
            "freeze_language_model",
            false,
            &["language_model", "lm_head"],
        ),
    ];
    hugging_face::frozen(said, &name, full, &parts, job);
}
