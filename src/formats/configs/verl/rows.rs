//! verl's keys (`verl/trainer/config`, verl 0.9.1, and names since 0.2).

use crate::configs::row::As::Count;
use crate::configs::row::Does::{Decides, Lacks, Sets};
use crate::configs::row::{Lack, Row};

const DIVIDED: &str = "parallelism.dp.kind";
const STRATEGY: &str = "parallelism.dp.sharding_strategy parallelism.dp.reshard_after_forward";

pub(super) const ROWS: &[Row] = &[
    ("trainer", Decides("objective.kind")),
    ("trainer.n_gpus_per_node", Decides("hardware.gpus_per_node")),
    ("trainer.nnodes", Decides("hardware.nodes")),
    ("trainer.total_epochs", Sets("dataset.epochs", Count)),
    // What is trained.
    ("actor_rollout_ref.model.path", Decides("model")),
    ("model.path", Decides("model")),
    ("model.partial_pretrain", Decides("model")),
    (
        "actor_rollout_ref.model.override_config.attn_implementation",
        Decides("attention"),
    ),
    (
        "model.override_config.attn_implementation",
        Decides("attention"),
    ),
    (
        "actor_rollout_ref.model.override_config.*",
        Lacks(Lack::Model),
    ),
    ("model.override_config.*", Lacks(Lack::Model)),
    (
        "actor_rollout_ref.model.enable_gradient_checkpointing",
        Decides("activation_checkpointing"),
    ),
    (
        "model.enable_gradient_checkpointing",
        Decides("activation_checkpointing"),
    ),
    (
        "actor_rollout_ref.model.enable_activation_offload",
        Lacks(Lack::Offload),
    ),
    ("model.enable_activation_offload", Lacks(Lack::Offload)),
    (
        "actor_rollout_ref.model.use_remove_padding",
        Decides("packing.kind"),
    ),
    ("model.use_remove_padding", Decides("packing.kind")),
    ("use_remove_padding", Decides("packing.kind")),
    (
        "actor_rollout_ref.actor.use_remove_padding",
        Decides("packing.kind"),
    ),
    ("actor_rollout_ref.model.use_liger", Decides("liger_kernel")),
    ("model.use_liger", Decides("liger_kernel")),
    (
        "actor_rollout_ref.model.use_fused_kernels",
        Lacks(Lack::Loss),
    ),
    ("model.use_fused_kernels", Lacks(Lack::Loss)),
    (
        "actor_rollout_ref.model.tiled_mlp.enabled",
        Lacks(Lack::Kernel),
    ),
    ("actor_rollout_ref.model.mtp.enable*", Lacks(Lack::Model)),
    ("actor_rollout_ref.model.lora_rank", Decides("lora.r")),
    ("model.lora_rank", Decides("lora.r")),
    ("actor_rollout_ref.model.lora.rank", Decides("lora.r")),
    (
        "actor_rollout_ref.model.target_modules",
        Decides("lora.target_modules"),
    ),
    ("model.target_modules", Decides("lora.target_modules")),
    (
        "actor_rollout_ref.model.exclude_modules",
        Lacks(Lack::Adapter),
    ),
    ("model.exclude_modules", Lacks(Lack::Adapter)),
    // How it is divided.
    ("actor_rollout_ref.actor.strategy", Decides(DIVIDED)),
    ("engine.strategy", Decides(DIVIDED)),
    ("model.strategy", Decides(DIVIDED)),
    (
        "actor_rollout_ref.actor.fsdp_config.strategy",
        Decides(DIVIDED),
    ),
    (
        "actor_rollout_ref.actor.fsdp_config.reshard_after_forward",
        Decides(STRATEGY),
    ),
    ("engine.reshard_after_forward", Decides(STRATEGY)),
    (
        "actor_rollout_ref.actor.fsdp_config.fsdp_size",
        Decides("parallelism.dp.shard_size"),
    ),
    ("engine.fsdp_size", Decides("parallelism.dp.shard_size")),
    (
        "actor_rollout_ref.actor.fsdp_config.model_dtype",
        Decides("precision weights"),
    ),
    ("engine.model_dtype", Decides("precision weights")),
    (
        "model.fsdp_config.model_dtype",
        Decides("precision weights"),
    ),
    (
        "actor_rollout_ref.actor.fsdp_config.dtype",
        Decides("precision"),
    ),
    ("engine.dtype", Decides("precision")),
    (
        "actor_rollout_ref.actor.fsdp_config.mixed_precision.*",
        Lacks(Lack::Parallelism),
    ),
    (
        "actor_rollout_ref.actor.fsdp_config.offload_policy",
        Decides("parallelism.dp.cpu_offload"),
    ),
    (
        "engine.offload_policy",
        Decides("parallelism.dp.cpu_offload"),
    ),
    (
        "model.fsdp_config.offload_policy",
        Decides("parallelism.dp.cpu_offload"),
    ),
    (
        "actor_rollout_ref.actor.fsdp_config.use_orig_params",
        Decides("parallelism.dp.use_orig_params"),
    ),
    (
        "engine.use_orig_params",
        Decides("parallelism.dp.use_orig_params"),
    ),
    (
        "actor_rollout_ref.actor.fsdp_config.forward_prefetch",
        Decides("parallelism.dp.forward_prefetch"),
    ),
    (
        "engine.forward_prefetch",
        Decides("parallelism.dp.forward_prefetch"),
    ),
    (
        "actor_rollout_ref.actor.fsdp_config.use_no_sync_for_gradient_accumulation",
        Decides("parallelism.dp.no_sync"),
    ),
    (
        "engine.use_no_sync_for_gradient_accumulation",
        Decides("parallelism.dp.no_sync"),
    ),
    // The policy's shards wait on the host while others generate, and are on the GPU in its step.
    (
        "actor_rollout_ref.actor.fsdp_config.param_offload",
        Lacks(Lack::Offload),
    ),
    (
        "actor_rollout_ref.actor.fsdp_config.optimizer_offload",
        Lacks(Lack::Offload),
    ),
    ("engine.param_offload", Lacks(Lack::Offload)),
    ("engine.optimizer_offload", Lacks(Lack::Offload)),
    ("model.fsdp_config.cpu_offload", Lacks(Lack::Offload)),
    ("model.fsdp_config.offload_params", Lacks(Lack::Offload)),
    (
        "actor_rollout_ref.ref.fsdp_config.param_offload",
        Decides("objective.beta"),
    ),
    (
        "actor_rollout_ref.actor.ulysses_sequence_parallel_size",
        Lacks(Lack::Parallelism),
    ),
    (
        "actor_rollout_ref.actor.fsdp_config.ulysses_sequence_parallel_size",
        Lacks(Lack::Parallelism),
    ),
    (
        "engine.ulysses_sequence_parallel_size",
        Lacks(Lack::Parallelism),
    ),
    ("ulysses_sequence_parallel_size", Lacks(Lack::Parallelism)),
    (
        "actor_rollout_ref.actor.fsdp_config.wrap_policy.min_num_params",
        Lacks(Lack::Parallelism),
    ),
    (
        "actor_rollout_ref.actor.qat.enable",
        Lacks(Lack::Quantization),
    ),
    // Its step.
    (
        "actor_rollout_ref.actor.ppo_mini_batch_size",
        Decides("gradient_accumulation_steps"),
    ),
    (
        "actor_rollout_ref.actor.ppo_micro_batch_size",
        Decides("micro_batch_size"),
    ),
    (
        "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu",
        Decides("micro_batch_size"),
    ),
    (
        "actor_rollout_ref.actor.use_dynamic_bsz",
        Decides("micro_batch_size"),
    ),
    (
        "actor_rollout_ref.actor.ppo_max_token_len_per_gpu",
        Decides("micro_batch_size"),
    ),
    (
        "actor_rollout_ref.actor.ppo_epochs",
        Decides("objective.num_iterations"),
    ),
    (
        "actor_rollout_ref.actor.use_kl_loss",
        Decides("objective.beta"),
    ),
    ("algorithm.use_kl_in_reward", Decides("objective.beta")),
    ("algorithm.adv_estimator", Decides("objective.kind")),
    ("actor_rollout_ref.actor.entropy_coeff", Lacks(Lack::Loss)),
    (
        "actor_rollout_ref.actor.calculate_entropy",
        Lacks(Lack::Loss),
    ),
    (
        "actor_rollout_ref.actor.optim.optimizer",
        Decides("optimizer.name"),
    ),
    (
        "actor_rollout_ref.actor.freeze_vision_tower",
        Lacks(Lack::Frozen),
    ),
    ("data.max_prompt_length", Decides("seq_len")),
    (
        "data.max_response_length",
        Decides("seq_len objective.completion_tokens"),
    ),
    ("data.max_length", Decides("seq_len")),
    ("data.micro_batch_size_per_gpu", Decides("micro_batch_size")),
    ("data.micro_batch_size", Decides("micro_batch_size")),
    (
        "data.train_batch_size",
        Decides("gradient_accumulation_steps"),
    ),
    ("data.use_dynamic_bsz", Decides("packing.kind")),
    (
        "data.max_token_len_per_gpu",
        Decides("packing.kind seq_len"),
    ),
    // Who generates.
    (
        "actor_rollout_ref.rollout.name",
        Decides("objective.generation"),
    ),
    (
        "actor_rollout_ref.rollout.n",
        Decides("gradient_accumulation_steps"),
    ),
    (
        "actor_rollout_ref.rollout.gpu_memory_utilization",
        Decides("objective.vllm_gpu_memory_utilization"),
    ),
    (
        "actor_rollout_ref.rollout.free_cache_engine",
        Decides("objective.generation"),
    ),
    (
        "actor_rollout_ref.rollout.tensor_model_parallel_size",
        Decides("objective.generation"),
    ),
    ("critic.enable", Lacks(Lack::Preference)),
    ("critic.model.path", Lacks(Lack::Preference)),
    ("reward_model.enable", Lacks(Lack::Preference)),
    ("reward.reward_model.enable", Lacks(Lack::Preference)),
    ("distillation.enabled", Lacks(Lack::Preference)),
];

pub(super) const WITHOUT_MEMORY: &[&str] = &[
    "trainer.*",
    "data.*",
    "algorithm.*",
    "actor_rollout_ref.hybrid_engine",
    "actor_rollout_ref.nccl_timeout",
    "actor_rollout_ref.model.*",
    "actor_rollout_ref.actor.*",
    "actor_rollout_ref.ref.*",
    "actor_rollout_ref.rollout.*",
    "critic.*",
    "reward_model.*",
    "reward_manager.*",
    "reward.*",
    "custom_reward_function.*",
    "sandbox_fusion.*",
    "ray_init.*",
    "ray_kwargs.*",
    "global_profiler.*",
    "transfer_queue.*",
    "distillation.*",
    "model.*",
    "engine",
    "engine.*",
    "optim",
    "optim.*",
    "checkpoint.*",
    "profiler.*",
    "config_path",
    "config_name",
    "hydra.*",
    "nccl_timeout",
    "model_engine",
    "defaults",
];
