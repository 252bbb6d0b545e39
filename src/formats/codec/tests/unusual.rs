//! A mesh and an optimizer of which every setting is other than usual.

use crate::ask::*;

/// Every setting other than usual that has a key of its own.
pub(super) fn optimizer() -> Optimizer {
    Optimizer {
        momentum: 0.5,
        amsgrad: true,
        weight_decay: true,
        relative_step: true,
        in_backward: true,
        master_weights: MasterWeights::DeepSpeed,
        rank: Some(1),
        bf16_stochastic_round: true,
        by_trainer: true,
        ..Optimizer::default()
    }
}

/// Adapters of which every setting is other than usual.
pub(super) fn lora() -> Lora {
    Lora {
        target_pattern: Some("x".to_owned()),
        dropout: 0.5,
        use_dora: true,
        modules_to_save: vec!["x".to_owned()],
        target_parameters: vec!["x".to_owned()],
        adapter_dtype: AdapterDtype::Base,
        kernels: vec!["mlp".to_owned()],
        input_requires_grad: true,
        convert_experts: false,
        ..Lora::default()
    }
}

/// An objective of which every setting is other than usual.
pub(super) fn objective() -> Objective {
    Objective {
        completion_tokens: Some(1),
        beta: Some(0.5),
        teacher: Some(ModelRef::Catalog("qwen2.5-7b".to_owned())),
        teacher_dtype: Some(ComputeDtype::Bf16),
        loss_type: Some(LossType::Ipo),
        log_probs: Some(LogProbs::Selective),
        generation: Generator::Model,
        num_iterations: 2,
        vllm_gpu_memory_utilization: 0.5,
        ..Objective::default()
    }
}

/// The same.
pub(super) fn around() -> Around {
    Around {
        loading: ModelLoading::Cpu,
        saving: true,
    }
}

/// Every setting other than usual.
pub(super) fn parallelism() -> Parallelism {
    Parallelism {
        dp: DataParallel {
            kind: DataParallelKind::Fsdp1,
            size: Some(1),
            rank: 1,
            shard_size: Some(1),
            replicate_size: Some(1),
            no_sync: false,
            pin_memory: false,
            ddp: Ddp {
                gradient_as_bucket_view: true,
                bucket_cap_mb: 1,
                static_graph: true,
                find_unused_parameters: true,
                comm_hook: CommHook::Bf16Compress,
                zero_redundancy_optimizer: ZeroRedundancyOptimizer {
                    parameters_as_bucket_view: Some(true),
                },
            },
            fsdp: Fsdp {
                mixed_precision: MixedPrecision {
                    param: Some(ComputeDtype::Bf16),
                    reduce: Some(ComputeDtype::Fp32),
                    output: Some(ComputeDtype::Fp32),
                    cast_forward_inputs: false,
                },
                cpu_offload: true,
                reshard_after_forward: false,
                reshard_root_after_forward: Some(true),
                wrap_embeddings: true,
                explicit_prefetch: 1,
                plan: Plan::Transformers,
                sharding_strategy: ShardingStrategy::HybridShard,
                use_orig_params: false,
                backward_prefetch: BackwardPrefetch::None,
                forward_prefetch: true,
                limit_all_gathers: false,
                wrap_trainable_leaves: true,
                built_on_cpu: true,
                cpu_ram_efficient_loading: true,
            },
            zero: Zero {
                stage: 1,
                offload_optimizer: OffloadDevice::Cpu,
                offload_param: OffloadDevice::Cpu,
                bf16: Some(true),
                overlap_comm: Some(true),
                contiguous_gradients: false,
                reduce_bucket_size: 1,
                allgather_bucket_size: 1,
                sub_group_size: 1,
                stage3_max_live_parameters: 1,
                stage3_max_reuse_distance: 1,
                stage3_prefetch_bucket_size: 1,
                stage3_param_persistence_threshold: 1,
                zero_hpz_partition_size: 2,
            },
            megatron: MegatronDdp {
                distributed_optimizer: true,
                grad_reduce_in_fp32: false,
                overlap_grad_reduce: true,
                overlap_param_gather: true,
                bucket_size: Some(1),
            },
        },
        tp: TensorParallel {
            kind: TensorParallelKind::Megatron,
            size: 2,
            sequence_parallel: true,
            loss_parallel: true,
            shard_embeddings: false,
            plan: Plan::Transformers,
        },
        pp: PipelineParallel {
            size: 2,
            rank: Some(1),
            schedule: PipelineSchedule::GPipe,
            microbatches: Some(1),
            stages_per_rank: Some(1),
            return_outputs: false,
            overlap_p2p: true,
        },
        cp: ContextParallel {
            kind: ContextParallelKind::Ulysses,
            size: 2,
            rank: 1,
            rotate: RotateMethod::AllToAll,
        },
        ep: ExpertParallel {
            kind: ExpertParallelKind::Megatron,
            size: 2,
            plan: Plan::Usual,
            dispatcher: ExpertDispatcher::AllGather,
            capacity_factor: Some(1.0),
            ..ExpertParallel::default()
        },
    }
}
