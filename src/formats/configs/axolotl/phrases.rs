//! Settings that several of axolotl's keys say together, and the ways to say them.

use crate::configs::format::Phrases;

pub(super) const PHRASES: &[Phrases] = &[
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
            r#"{"optimizer": "lomo"}"#,
            r#"{"optimizer": "adalomo"}"#,
            r#"{"optimizer": "apollo_adamw", "optim_target_modules": "all-linear"}"#,
            r#"{"optimizer": "apollo_adamw", "optim_target_modules": "all-linear", "optim_args": "rank=1,scale_type=tensor"}"#,
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
            r#"{"gradient_checkpointing": true, "gradient_checkpointing_kwargs": {"use_reentrant": false}}"#,
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
    Phrases {
        about: &["packing.kind"],
        ways: &["{}", r#"{"sample_packing": true}"#],
    },
    Phrases {
        about: &["loss", "liger_kernel"],
        ways: &[
            "{}",
            r#"{"plugins": ["axolotl.integrations.cut_cross_entropy.CutCrossEntropyPlugin"]}"#,
            r#"{"plugins": ["axolotl.integrations.liger.LigerPlugin", "axolotl.integrations.cut_cross_entropy.CutCrossEntropyPlugin"]}"#,
        ],
    },
    Phrases {
        about: &[
            "activation_offload.kind",
            "activation_offload.streams",
            "activation_checkpointing",
        ],
        ways: &[
            "{}",
            r#"{"gradient_checkpointing": true, "activation_offloading": true}"#,
            r#"{"gradient_checkpointing": true, "activation_offloading": "legacy"}"#,
            r#"{"gradient_checkpointing": true, "gradient_checkpointing_kwargs": {"use_reentrant": true}, "activation_offloading": "hidden_states"}"#,
        ],
    },
    Phrases {
        about: &["objective.kind", "objective.loss_type", "objective.beta"],
        ways: &[
            "{}",
            r#"{"rl": "dpo"}"#,
            r#"{"rl": "ipo"}"#,
            r#"{"rl": "kto"}"#,
            r#"{"rl": "orpo"}"#,
            r#"{"rl": "simpo"}"#,
            r#"{"rl": "grpo"}"#,
            r#"{"reward_model": true}"#,
        ],
    },
    Phrases {
        about: &["around.saving"],
        ways: &["{}", r#"{"save_strategy": "no"}"#],
    },
];
