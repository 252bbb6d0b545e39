//! Public files that configurations name: of each the keys that matter for memory.
//!
//! `auto` is what a trainer fills in; a size in bytes or elements is a number. Keys of launchers (addresses, ranks)
//! and of logging are left out.

/// Files of one repository.
pub(super) struct Repository {
    /// The repository and its version.
    pub source: &'static str,
    /// The end of each file's path, or a name of the file, and the file's keys as JSON.
    pub files: &'static [(&'static str, &'static str)],
}

/// The repositories.
pub(super) const REPOSITORIES: &[Repository] = &[
    LLAMA_FACTORY,
    AXOLOTL,
    SWIFT,
    TRL,
    HANDBOOK,
    ACCELERATE,
    TORCHTITAN,
];

/// `examples/deepspeed` and `examples/accelerate`.
const LLAMA_FACTORY: Repository = Repository {
    source: "LLaMA-Factory 0.9.5",
    files: &[
        (
            "deepspeed/ds_z0_config.json",
            r#"{"bf16":{"enabled":"auto"},"fp16":{"enabled":"auto"},"zero_optimization":{"stage":0,"overlap_comm":false,"contiguous_gradients":true,"allgather_bucket_size":5e8,"reduce_bucket_size":5e8}}"#,
        ),
        (
            "deepspeed/ds_z2_config.json",
            r#"{"bf16":{"enabled":"auto"},"fp16":{"enabled":"auto"},"zero_optimization":{"stage":2,"overlap_comm":false,"contiguous_gradients":true,"allgather_bucket_size":5e8,"reduce_bucket_size":5e8}}"#,
        ),
        (
            "deepspeed/ds_z2_autotp_config.json",
            r#"{"bf16":{"enabled":"auto"},"fp16":{"enabled":"auto"},"zero_optimization":{"stage":2,"overlap_comm":false,"contiguous_gradients":true,"allgather_bucket_size":5e8,"reduce_bucket_size":5e8},"tensor_parallel":{"autotp_size":2}}"#,
        ),
        (
            "deepspeed/ds_z2_offload_config.json",
            r#"{"bf16":{"enabled":"auto"},"fp16":{"enabled":"auto"},"zero_optimization":{"stage":2,"overlap_comm":false,"contiguous_gradients":true,"allgather_bucket_size":5e8,"reduce_bucket_size":5e8,"offload_optimizer":{"device":"cpu","pin_memory":true}}}"#,
        ),
        (
            "deepspeed/ds_z3_config.json",
            r#"{"bf16":{"enabled":"auto"},"fp16":{"enabled":"auto"},"zero_optimization":{"stage":3,"overlap_comm":false,"contiguous_gradients":true,"sub_group_size":1e9,"reduce_bucket_size":"auto","stage3_prefetch_bucket_size":"auto","stage3_param_persistence_threshold":"auto","stage3_max_live_parameters":1e9,"stage3_max_reuse_distance":1e9,"stage3_gather_16bit_weights_on_model_save":true}}"#,
        ),
        (
            "deepspeed/ds_z3_offload_config.json",
            r#"{"bf16":{"enabled":"auto"},"fp16":{"enabled":"auto"},"zero_optimization":{"stage":3,"overlap_comm":false,"contiguous_gradients":true,"sub_group_size":1e9,"reduce_bucket_size":"auto","stage3_prefetch_bucket_size":"auto","stage3_param_persistence_threshold":"auto","stage3_max_live_parameters":1e9,"stage3_max_reuse_distance":1e9,"stage3_gather_16bit_weights_on_model_save":true,"offload_optimizer":{"device":"cpu","pin_memory":true},"offload_param":{"device":"cpu","pin_memory":true}}}"#,
        ),
        (
            "deepspeed/ds_z3_fp8_config.json",
            r#"{"bf16":{"enabled":"auto"},"fp16":{"enabled":false},"zero_force_ds_cpu_optimizer":true,"zero_optimization":{"stage":3,"overlap_comm":false,"contiguous_gradients":true,"sub_group_size":1e9,"reduce_bucket_size":12845056,"stage3_prefetch_bucket_size":11560550,"stage3_param_persistence_threshold":35840,"stage3_max_live_parameters":1e9,"stage3_max_reuse_distance":1e9,"stage3_gather_16bit_weights_on_model_save":true,"offload_optimizer":{"device":"cpu","pin_memory":false}}}"#,
        ),
        (
            "accelerate/fsdp_config.yaml",
            r#"{"distributed_type":"FSDP","mixed_precision":"bf16","num_machines":1,"num_processes":2,"fsdp_config":{"fsdp_auto_wrap_policy":"TRANSFORMER_BASED_WRAP","fsdp_backward_prefetch":"BACKWARD_PRE","fsdp_forward_prefetch":false,"fsdp_cpu_ram_efficient_loading":true,"fsdp_offload_params":false,"fsdp_sharding_strategy":"FULL_SHARD","fsdp_state_dict_type":"FULL_STATE_DICT","fsdp_sync_module_states":true,"fsdp_use_orig_params":true}}"#,
        ),
        (
            "accelerate/fsdp_config_offload.yaml",
            r#"{"distributed_type":"FSDP","mixed_precision":"bf16","num_machines":1,"num_processes":2,"fsdp_config":{"fsdp_auto_wrap_policy":"TRANSFORMER_BASED_WRAP","fsdp_backward_prefetch":"BACKWARD_PRE","fsdp_forward_prefetch":false,"fsdp_cpu_ram_efficient_loading":true,"fsdp_offload_params":true,"fsdp_sharding_strategy":"FULL_SHARD","fsdp_state_dict_type":"FULL_STATE_DICT","fsdp_sync_module_states":true,"fsdp_use_orig_params":true}}"#,
        ),
        (
            "accelerate/fsdp_config_multiple_nodes.yaml",
            r#"{"distributed_type":"FSDP","mixed_precision":"bf16","num_machines":2,"num_processes":16,"fsdp_config":{"fsdp_auto_wrap_policy":"TRANSFORMER_BASED_WRAP","fsdp_backward_prefetch":"BACKWARD_PRE","fsdp_forward_prefetch":false,"fsdp_cpu_ram_efficient_loading":true,"fsdp_offload_params":false,"fsdp_sharding_strategy":"FULL_SHARD","fsdp_state_dict_type":"FULL_STATE_DICT","fsdp_sync_module_states":true,"fsdp_use_orig_params":true}}"#,
        ),
        (
            "accelerate/fsdp2_config.yaml",
            r#"{"distributed_type":"FSDP","mixed_precision":"bf16","num_machines":1,"num_processes":2,"fsdp_config":{"fsdp_version":2,"fsdp_auto_wrap_policy":"TRANSFORMER_BASED_WRAP","fsdp_cpu_ram_efficient_loading":true,"fsdp_offload_params":false,"fsdp_reshard_after_forward":true,"fsdp_state_dict_type":"FULL_STATE_DICT"}}"#,
        ),
    ],
};

/// `deepspeed_configs`.
const AXOLOTL: Repository = Repository {
    source: "axolotl 0.18",
    files: &[
        (
            "deepspeed_configs/zero1.json",
            r#"{"bf16":{"enabled":"auto"},"fp16":{"enabled":"auto"},"zero_optimization":{"stage":1,"overlap_comm":true}}"#,
        ),
        (
            "deepspeed_configs/zero1_torch_compile.json",
            r#"{"bf16":{"enabled":"auto"},"fp16":{"enabled":"auto"},"compile":{"disable":false,"backend":"inductor"},"zero_optimization":{"stage":1,"overlap_comm":true}}"#,
        ),
        (
            "deepspeed_configs/zero2.json",
            r#"{"bf16":{"enabled":"auto"},"fp16":{"enabled":"auto"},"zero_optimization":{"stage":2,"offload_optimizer":{"device":"cpu"},"contiguous_gradients":true,"overlap_comm":true}}"#,
        ),
        (
            "deepspeed_configs/zero2_torch_compile.json",
            r#"{"bf16":{"enabled":"auto"},"fp16":{"enabled":"auto"},"compile":{"disable":false,"backend":"inductor"},"zero_optimization":{"stage":2,"offload_optimizer":{"device":"cpu"},"contiguous_gradients":true,"overlap_comm":true}}"#,
        ),
        (
            "deepspeed_configs/zero3.json",
            r#"{"bf16":{"enabled":"auto"},"fp16":{"enabled":"auto"},"zero_optimization":{"stage":3,"overlap_comm":true,"contiguous_gradients":true,"sub_group_size":0,"reduce_bucket_size":"auto","stage3_prefetch_bucket_size":"auto","stage3_param_persistence_threshold":"auto","max_live_parameters":0,"max_reuse_distance":0,"gather_16bit_weights_on_model_save":true}}"#,
        ),
        (
            "deepspeed_configs/zero3_bf16.json",
            r#"{"bf16":{"enabled":true},"zero_optimization":{"stage":3,"overlap_comm":true,"contiguous_gradients":true,"sub_group_size":0,"reduce_bucket_size":"auto","stage3_prefetch_bucket_size":"auto","stage3_param_persistence_threshold":"auto","max_live_parameters":0,"max_reuse_distance":0,"gather_16bit_weights_on_model_save":true}}"#,
        ),
        (
            "deepspeed_configs/zero3_bf16_cpuoffload_all.json",
            r#"{"bf16":{"enabled":true},"zero_force_ds_cpu_optimizer":false,"zero_optimization":{"stage":3,"offload_optimizer":{"device":"cpu","pin_memory":true},"offload_param":{"device":"cpu","pin_memory":true},"overlap_comm":true,"contiguous_gradients":true,"sub_group_size":0,"reduce_bucket_size":"auto","stage3_prefetch_bucket_size":"auto","stage3_param_persistence_threshold":"auto","max_live_parameters":0,"max_reuse_distance":0,"gather_16bit_weights_on_model_save":true}}"#,
        ),
        (
            "deepspeed_configs/zero3_bf16_cpuoffload_params.json",
            r#"{"bf16":{"enabled":true},"zero_force_ds_cpu_optimizer":false,"zero_optimization":{"stage":3,"offload_param":{"device":"cpu","pin_memory":true},"overlap_comm":true,"contiguous_gradients":true,"sub_group_size":0,"reduce_bucket_size":"auto","stage3_prefetch_bucket_size":"auto","stage3_param_persistence_threshold":"auto","max_live_parameters":0,"max_reuse_distance":0,"gather_16bit_weights_on_model_save":true}}"#,
        ),
    ],
};

/// `swift/config`, which `--deepspeed` names without an end.
const SWIFT: Repository = Repository {
    source: "ms-swift 4.5.2",
    files: &[
        (
            "zero0",
            r#"{"bf16":{"enabled":"auto"},"fp16":{"enabled":"auto"},"zero_optimization":{"stage":0,"allgather_bucket_size":2e8,"overlap_comm":false,"reduce_bucket_size":2e8,"contiguous_gradients":true}}"#,
        ),
        (
            "zero1",
            r#"{"bf16":{"enabled":"auto"},"fp16":{"enabled":"auto"},"zero_optimization":{"stage":1,"offload_optimizer":{"device":"none","pin_memory":true},"allgather_bucket_size":2e8,"overlap_comm":false,"reduce_bucket_size":2e8,"contiguous_gradients":true}}"#,
        ),
        (
            "zero2",
            r#"{"bf16":{"enabled":"auto"},"fp16":{"enabled":"auto"},"zero_optimization":{"stage":2,"offload_optimizer":{"device":"none","pin_memory":true},"allgather_bucket_size":2e8,"overlap_comm":false,"reduce_bucket_size":2e8,"contiguous_gradients":true}}"#,
        ),
        (
            "zero2_offload",
            r#"{"bf16":{"enabled":"auto"},"fp16":{"enabled":"auto"},"zero_optimization":{"stage":2,"offload_optimizer":{"device":"cpu","pin_memory":true},"allgather_bucket_size":2e8,"overlap_comm":false,"reduce_bucket_size":2e8,"contiguous_gradients":true}}"#,
        ),
        (
            "zero3",
            r#"{"bf16":{"enabled":"auto"},"fp16":{"enabled":"auto"},"zero_optimization":{"stage":3,"offload_optimizer":{"device":"none","pin_memory":true},"offload_param":{"device":"none","pin_memory":true},"overlap_comm":false,"contiguous_gradients":true,"sub_group_size":1e9,"reduce_bucket_size":"auto","stage3_prefetch_bucket_size":"auto","stage3_param_persistence_threshold":"auto","stage3_max_live_parameters":1e9,"stage3_max_reuse_distance":1e9,"stage3_gather_16bit_weights_on_model_save":true}}"#,
        ),
        (
            "zero3_offload",
            r#"{"bf16":{"enabled":"auto"},"fp16":{"enabled":"auto"},"zero_optimization":{"stage":3,"offload_optimizer":{"device":"cpu","pin_memory":true},"offload_param":{"device":"cpu","pin_memory":true},"overlap_comm":false,"contiguous_gradients":true,"sub_group_size":1e9,"reduce_bucket_size":"auto","stage3_prefetch_bucket_size":"auto","stage3_param_persistence_threshold":"auto","stage3_max_live_parameters":1e9,"stage3_max_reuse_distance":1e9,"stage3_gather_16bit_weights_on_model_save":true}}"#,
        ),
    ],
};

/// `examples/accelerate_configs`, and `trl/accelerate_configs` with shorter names.
const TRL: Repository = Repository {
    source: "trl 1.9",
    files: &[
        ("accelerate_configs/deepspeed_zero1.yaml", ZERO_1),
        ("accelerate_configs/zero1.yaml", ZERO_1),
        ("accelerate_configs/deepspeed_zero2.yaml", ZERO_2),
        ("accelerate_configs/zero2.yaml", ZERO_2),
        ("accelerate_configs/deepspeed_zero3.yaml", ZERO_3),
        ("accelerate_configs/zero3.yaml", ZERO_3),
        (
            "accelerate_configs/fsdp1.yaml",
            r#"{"distributed_type":"FSDP","mixed_precision":"bf16","num_machines":1,"num_processes":8,"fsdp_config":{"fsdp_version":1,"fsdp_activation_checkpointing":false,"fsdp_auto_wrap_policy":"TRANSFORMER_BASED_WRAP","fsdp_backward_prefetch":"BACKWARD_PRE","fsdp_cpu_ram_efficient_loading":true,"fsdp_forward_prefetch":true,"fsdp_offload_params":false,"fsdp_reshard_after_forward":"FULL_SHARD","fsdp_state_dict_type":"FULL_STATE_DICT","fsdp_sync_module_states":true,"fsdp_use_orig_params":true}}"#,
        ),
        (
            "accelerate_configs/fsdp2.yaml",
            r#"{"distributed_type":"FSDP","mixed_precision":"bf16","num_machines":1,"num_processes":8,"fsdp_config":{"fsdp_version":2,"fsdp_activation_checkpointing":false,"fsdp_auto_wrap_policy":"TRANSFORMER_BASED_WRAP","fsdp_cpu_ram_efficient_loading":true,"fsdp_offload_params":false,"fsdp_reshard_after_forward":true,"fsdp_state_dict_type":"FULL_STATE_DICT"}}"#,
        ),
        ("accelerate_configs/multi_gpu.yaml", MULTI_GPU),
        (
            "examples/accelerate_configs/single_gpu.yaml",
            r#"{"distributed_type":"NO","mixed_precision":"bf16","num_machines":1,"num_processes":1}"#,
        ),
        (
            "accelerate_configs/context_parallel_2gpu.yaml",
            r#"{"distributed_type":"FSDP","mixed_precision":"bf16","num_machines":1,"num_processes":2,"fsdp_config":{"fsdp_version":2,"fsdp_activation_checkpointing":true,"fsdp_auto_wrap_policy":"TRANSFORMER_BASED_WRAP","fsdp_cpu_ram_efficient_loading":true,"fsdp_offload_params":false,"fsdp_reshard_after_forward":true,"fsdp_state_dict_type":"FULL_STATE_DICT"},"parallelism_config":{"parallelism_config_dp_replicate_size":1,"parallelism_config_dp_shard_size":1,"parallelism_config_tp_size":1,"parallelism_config_cp_size":2}}"#,
        ),
        (
            "accelerate_configs/alst_ulysses_4gpu.yaml",
            r#"{"distributed_type":"DEEPSPEED","mixed_precision":"bf16","num_machines":1,"num_processes":4,"deepspeed_config":{"zero_stage":3,"offload_optimizer_device":"none","offload_param_device":"none","zero3_init_flag":true,"zero3_save_16bit_model":true},"parallelism_config":{"parallelism_config_dp_replicate_size":1,"parallelism_config_dp_shard_size":2,"parallelism_config_tp_size":1,"parallelism_config_sp_size":2,"parallelism_config_sp_backend":"deepspeed","parallelism_config_sp_attn_implementation":"flash_attention_2"}}"#,
        ),
    ],
};

const ZERO_1: &str = r#"{"distributed_type":"DEEPSPEED","mixed_precision":"bf16","num_machines":1,"num_processes":8,"deepspeed_config":{"gradient_accumulation_steps":1,"zero3_init_flag":false,"zero_stage":1}}"#;
const ZERO_2: &str = r#"{"distributed_type":"DEEPSPEED","mixed_precision":"bf16","num_machines":1,"num_processes":8,"deepspeed_config":{"offload_optimizer_device":"none","offload_param_device":"none","zero3_init_flag":false,"zero_stage":2}}"#;
const ZERO_3: &str = r#"{"distributed_type":"DEEPSPEED","mixed_precision":"bf16","num_machines":1,"num_processes":8,"deepspeed_config":{"offload_optimizer_device":"none","offload_param_device":"none","zero3_init_flag":true,"zero3_save_16bit_model":true,"zero_stage":3}}"#;
const MULTI_GPU: &str = r#"{"distributed_type":"MULTI_GPU","mixed_precision":"bf16","num_machines":1,"num_processes":8}"#;

/// `recipes/accelerate_configs`; those of its earlier versions are TRL's.
const HANDBOOK: Repository = Repository {
    source: "alignment-handbook 0.3.0",
    files: &[
        ("accelerate_configs/ddp.yaml", MULTI_GPU),
        (
            "accelerate_configs/fsdp.yaml",
            r#"{"distributed_type":"FSDP","mixed_precision":"bf16","num_machines":1,"num_processes":8,"fsdp_config":{"fsdp_auto_wrap_policy":"TRANSFORMER_BASED_WRAP","fsdp_backward_prefetch":"BACKWARD_PRE","fsdp_cpu_ram_efficient_loading":true,"fsdp_forward_prefetch":true,"fsdp_offload_params":false,"fsdp_sharding_strategy":"FULL_SHARD","fsdp_state_dict_type":"SHARDED_STATE_DICT","fsdp_sync_module_states":true,"fsdp_use_orig_params":true}}"#,
        ),
    ],
};

/// `examples/config_yaml_templates` and `examples/deepspeed_config_templates`.
const ACCELERATE: Repository = Repository {
    source: "accelerate 1.15",
    files: &[
        (
            "config_yaml_templates/deepspeed.yaml",
            r#"{"distributed_type":"DEEPSPEED","num_processes":2,"deepspeed_config":{"deepspeed_config_file":"../deepspeed_config_templates/zero_stage1_config.json","zero3_init_flag":false}}"#,
        ),
        (
            "config_yaml_templates/fp8.yaml",
            r#"{"distributed_type":"NO","mixed_precision":"fp8","fp8_config":{"backend":"TE"}}"#,
        ),
        (
            "config_yaml_templates/fsdp.yaml",
            r#"{"distributed_type":"FSDP","mixed_precision":"bf16","num_processes":2,"fsdp_config":{"fsdp_activation_checkpointing":false,"fsdp_auto_wrap_policy":"TRANSFORMER_BASED_WRAP","fsdp_backward_prefetch":"BACKWARD_PRE","fsdp_cpu_ram_efficient_loading":true,"fsdp_forward_prefetch":false,"fsdp_offload_params":false,"fsdp_sharding_strategy":"FULL_SHARD","fsdp_state_dict_type":"SHARDED_STATE_DICT","fsdp_sync_module_states":true,"fsdp_use_orig_params":true}}"#,
        ),
        (
            "config_yaml_templates/multi_gpu.yaml",
            r#"{"distributed_type":"MULTI_GPU","mixed_precision":"bf16","num_processes":2}"#,
        ),
        (
            "config_yaml_templates/multi_node.yaml",
            r#"{"distributed_type":"MULTI_GPU","num_machines":2,"num_processes":8}"#,
        ),
        (
            "config_yaml_templates/single_accelerator.yaml",
            r#"{"distributed_type":"NO","mixed_precision":"bf16"}"#,
        ),
        (
            "deepspeed_config_templates/zero_stage1_config.json",
            r#"{"fp16":{"enabled":true},"optimizer":{"type":"AdamW","params":{"torch_adam":true,"adam_w_mode":true}},"gradient_accumulation_steps":1,"zero_optimization":{"stage":1,"allgather_bucket_size":2e8,"overlap_comm":true,"reduce_bucket_size":"auto","contiguous_gradients":true}}"#,
        ),
        (
            "deepspeed_config_templates/zero_stage2_config.json",
            r#"{"fp16":{"enabled":true},"optimizer":{"type":"AdamW","params":{"torch_adam":true,"adam_w_mode":true}},"gradient_accumulation_steps":1,"zero_optimization":{"stage":2,"allgather_bucket_size":2e8,"overlap_comm":true,"reduce_bucket_size":"auto","contiguous_gradients":true}}"#,
        ),
        (
            "deepspeed_config_templates/zero_stage2_offload_config.json",
            r#"{"fp16":{"enabled":true},"optimizer":{"type":"AdamW","params":{"torch_adam":true,"adam_w_mode":true}},"gradient_accumulation_steps":1,"zero_optimization":{"stage":2,"offload_optimizer":{"device":"cpu","pin_memory":true},"allgather_bucket_size":2e8,"overlap_comm":true,"reduce_bucket_size":"auto","contiguous_gradients":true}}"#,
        ),
        (
            "deepspeed_config_templates/zero_stage3_config.json",
            r#"{"fp16":{"enabled":true},"optimizer":{"type":"AdamW"},"gradient_accumulation_steps":1,"zero_optimization":{"stage":3,"overlap_comm":true,"contiguous_gradients":true,"reduce_bucket_size":"auto","stage3_prefetch_bucket_size":"auto","stage3_param_persistence_threshold":"auto","sub_group_size":1e9,"stage3_max_live_parameters":1e9,"stage3_max_reuse_distance":1e9,"stage3_gather_16bit_weights_on_model_save":"auto"}}"#,
        ),
        (
            "deepspeed_config_templates/zero_stage3_offload_config.json",
            r#"{"fp16":{"enabled":true},"optimizer":{"type":"AdamW"},"gradient_accumulation_steps":1,"zero_optimization":{"stage":3,"offload_optimizer":{"device":"cpu","pin_memory":true},"offload_param":{"device":"cpu","pin_memory":true},"overlap_comm":true,"contiguous_gradients":true,"reduce_bucket_size":"auto","stage3_prefetch_bucket_size":"auto","stage3_param_persistence_threshold":"auto","sub_group_size":1e9,"stage3_max_live_parameters":1e9,"stage3_max_reuse_distance":1e9,"stage3_gather_16bit_weights_on_model_save":"auto"}}"#,
        ),
    ],
};

/// `torchtitan/models/*/train_configs`.
const TORCHTITAN: Repository = Repository {
    source: "torchtitan 0.2.1",
    files: &[
        (
            "deepseek_v3/train_configs/debug_model.toml",
            r#"{"model":{"name":"deepseek_v3","flavor":"debugmodel"},"optimizer":{"name":"AdamW"},"training":{"local_batch_size":8,"seq_len":2048,"max_norm":1.0},"parallelism":{"data_parallel_replicate_degree":1,"data_parallel_shard_degree":-1,"fsdp_reshard_after_forward":"default","tensor_parallel_degree":1,"enable_async_tensor_parallel":false,"pipeline_parallel_degree":1,"pipeline_parallel_schedule":"1F1B","context_parallel_degree":1,"expert_parallel_degree":1,"expert_tensor_parallel_degree":1},"activation_checkpoint":{"mode":"selective","selective_ac_option":"op"}}"#,
        ),
        (
            "deepseek_v3/train_configs/deepseek_v3_16b.toml",
            r#"{"model":{"name":"deepseek_v3","flavor":"16B"},"optimizer":{"name":"AdamW"},"training":{"local_batch_size":4,"seq_len":4096,"max_norm":1.0},"parallelism":{"data_parallel_replicate_degree":1,"data_parallel_shard_degree":-1,"fsdp_reshard_after_forward":"default","tensor_parallel_degree":1,"enable_async_tensor_parallel":false,"pipeline_parallel_degree":1,"pipeline_parallel_schedule":"Interleaved1F1B","expert_parallel_degree":8,"expert_tensor_parallel_degree":1},"activation_checkpoint":{"mode":"selective","selective_ac_option":"op"},"compile":{"enable":true,"components":["loss"]}}"#,
        ),
        (
            "deepseek_v3/train_configs/deepseek_v3_671b.toml",
            r#"{"model":{"name":"deepseek_v3","flavor":"671B"},"optimizer":{"name":"AdamW"},"training":{"local_batch_size":4,"seq_len":4096,"max_norm":1.0},"parallelism":{"data_parallel_replicate_degree":1,"data_parallel_shard_degree":-1,"fsdp_reshard_after_forward":"default","tensor_parallel_degree":1,"enable_async_tensor_parallel":false,"pipeline_parallel_degree":1,"pipeline_parallel_schedule":"Interleaved1F1B","expert_parallel_degree":1,"expert_tensor_parallel_degree":1},"activation_checkpoint":{"mode":"selective","selective_ac_option":"op"},"compile":{"enable":true,"components":["loss"]}}"#,
        ),
        (
            "llama3/train_configs/debug_model.toml",
            r#"{"model":{"name":"llama3","flavor":"debugmodel"},"optimizer":{"name":"AdamW"},"training":{"local_batch_size":8,"seq_len":2048,"max_norm":1.0},"parallelism":{"data_parallel_replicate_degree":1,"data_parallel_shard_degree":-1,"fsdp_reshard_after_forward":"default","tensor_parallel_degree":1,"enable_async_tensor_parallel":false,"pipeline_parallel_degree":1,"pipeline_parallel_schedule":"Interleaved1F1B","context_parallel_degree":1},"activation_checkpoint":{"mode":"selective","selective_ac_option":"2"}}"#,
        ),
        (
            "llama3/train_configs/llama3_405b.toml",
            r#"{"model":{"name":"llama3","flavor":"405B","converters":["float8"]},"optimizer":{"name":"AdamW"},"training":{"local_batch_size":2,"seq_len":8192,"max_norm":1.0},"parallelism":{"data_parallel_replicate_degree":1,"data_parallel_shard_degree":-1,"tensor_parallel_degree":8,"enable_async_tensor_parallel":true,"pipeline_parallel_degree":1,"context_parallel_degree":1},"activation_checkpoint":{"mode":"full"},"compile":{"enable":true,"components":["model","loss"]}}"#,
        ),
        (
            "llama3/train_configs/llama3_70b.toml",
            r#"{"model":{"name":"llama3","flavor":"70B"},"optimizer":{"name":"AdamW"},"training":{"local_batch_size":8,"seq_len":8192,"max_norm":1.0},"parallelism":{"data_parallel_replicate_degree":1,"data_parallel_shard_degree":-1,"tensor_parallel_degree":8,"pipeline_parallel_degree":1,"context_parallel_degree":1},"activation_checkpoint":{"mode":"full"}}"#,
        ),
        (
            "llama3/train_configs/llama3_8b.toml",
            r#"{"model":{"name":"llama3","flavor":"8B"},"optimizer":{"name":"AdamW"},"training":{"local_batch_size":1,"seq_len":8192,"max_norm":1.0},"parallelism":{"data_parallel_replicate_degree":1,"data_parallel_shard_degree":-1,"tensor_parallel_degree":1,"pipeline_parallel_degree":1,"context_parallel_degree":1},"activation_checkpoint":{"mode":"selective","selective_ac_option":"op"}}"#,
        ),
        (
            "llama3_ft/train_configs/debug_model.toml",
            r#"{"model":{"name":"llama3","flavor":"debugmodel"},"optimizer":{"name":"AdamW"},"training":{"local_batch_size":8,"seq_len":2048,"max_norm":1.0},"parallelism":{"data_parallel_replicate_degree":1,"data_parallel_shard_degree":-1,"fsdp_reshard_after_forward":"default","tensor_parallel_degree":1,"enable_async_tensor_parallel":false,"pipeline_parallel_degree":1,"context_parallel_degree":1},"activation_checkpoint":{"mode":"selective","selective_ac_option":"2"}}"#,
        ),
        (
            "llama4/train_configs/debug_model.toml",
            r#"{"model":{"name":"llama4","flavor":"debugmodel"},"optimizer":{"name":"AdamW"},"training":{"local_batch_size":8,"seq_len":2048,"max_norm":1.0},"parallelism":{"data_parallel_replicate_degree":1,"data_parallel_shard_degree":-1,"fsdp_reshard_after_forward":"default","tensor_parallel_degree":1,"enable_async_tensor_parallel":false,"pipeline_parallel_degree":1,"pipeline_parallel_schedule":"1F1B","context_parallel_degree":1,"expert_parallel_degree":1,"expert_tensor_parallel_degree":1},"activation_checkpoint":{"mode":"selective","selective_ac_option":"op"}}"#,
        ),
        (
            "llama4/train_configs/llama4_17bx128e.toml",
            r#"{"model":{"name":"llama4","flavor":"17bx128e"},"optimizer":{"name":"AdamW"},"training":{"local_batch_size":1,"seq_len":8192,"max_norm":1.0},"parallelism":{"data_parallel_replicate_degree":1,"data_parallel_shard_degree":-1,"tensor_parallel_degree":8,"enable_async_tensor_parallel":false,"pipeline_parallel_degree":4,"context_parallel_degree":1,"expert_parallel_degree":1,"expert_tensor_parallel_degree":8},"activation_checkpoint":{"mode":"full"}}"#,
        ),
        (
            "llama4/train_configs/llama4_17bx16e.toml",
            r#"{"model":{"name":"llama4","flavor":"17bx16e"},"optimizer":{"name":"AdamW"},"training":{"local_batch_size":8,"seq_len":8192,"max_norm":1.0},"parallelism":{"data_parallel_replicate_degree":1,"data_parallel_shard_degree":-1,"tensor_parallel_degree":8,"enable_async_tensor_parallel":false,"pipeline_parallel_degree":1,"context_parallel_degree":1,"expert_parallel_degree":1,"expert_tensor_parallel_degree":8},"activation_checkpoint":{"mode":"full"}}"#,
        ),
        (
            "qwen3/train_configs/qwen3_0.6b.toml",
            r#"{"model":{"name":"qwen3","flavor":"0.6B"},"optimizer":{"name":"AdamW"},"training":{"local_batch_size":4,"seq_len":4096,"max_norm":1.0},"parallelism":{"data_parallel_replicate_degree":1,"data_parallel_shard_degree":-1,"fsdp_reshard_after_forward":"default","tensor_parallel_degree":1,"context_parallel_degree":1},"activation_checkpoint":{"mode":"selective","selective_ac_option":"op"}}"#,
        ),
        (
            "qwen3/train_configs/qwen3_1.7b.toml",
            r#"{"model":{"name":"qwen3","flavor":"1.7B"},"optimizer":{"name":"AdamW"},"training":{"local_batch_size":4,"seq_len":4096,"max_norm":1.0},"parallelism":{"data_parallel_replicate_degree":1,"data_parallel_shard_degree":-1,"fsdp_reshard_after_forward":"default","tensor_parallel_degree":1,"context_parallel_degree":1},"activation_checkpoint":{"mode":"selective","selective_ac_option":"op"}}"#,
        ),
        (
            "qwen3/train_configs/qwen3_32b.toml",
            r#"{"model":{"name":"qwen3","flavor":"32B"},"optimizer":{"name":"AdamW"},"training":{"local_batch_size":2,"seq_len":4096,"max_norm":1.0},"parallelism":{"data_parallel_replicate_degree":1,"data_parallel_shard_degree":-1,"fsdp_reshard_after_forward":"default","tensor_parallel_degree":1,"context_parallel_degree":1},"activation_checkpoint":{"mode":"full","selective_ac_option":"op"}}"#,
        ),
        (
            "qwen3/train_configs/qwen3_moe_debug.toml",
            r#"{"model":{"name":"qwen3","flavor":"debugmodel_moe"},"optimizer":{"name":"AdamW"},"training":{"local_batch_size":4,"seq_len":4096,"max_norm":1.0},"parallelism":{"data_parallel_replicate_degree":1,"data_parallel_shard_degree":-1,"fsdp_reshard_after_forward":"default","tensor_parallel_degree":1,"enable_async_tensor_parallel":false,"expert_parallel_degree":1,"expert_tensor_parallel_degree":1},"activation_checkpoint":{"mode":"selective","selective_ac_option":"op"}}"#,
        ),
    ],
};
