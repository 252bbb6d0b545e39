//! Settings of Megatron-Core alone.

use super::settings::settings;
use crate::units::names;

settings! {
    /// `DistributedDataParallelConfig` (`megatron/core/distributed/distributed_data_parallel_config.py`,
    /// megatron-core 0.16.1).
    #[derive(Clone, Copy, Debug, PartialEq)]
    MegatronDdp {
        /// Whether optimizer states and fp32 weights are divided among the ranks
        /// (`use_distributed_optimizer`).
        distributed_optimizer: bool = false,
        /// Whether gradients are kept and reduced in fp32; true when absent, as Megatron-LM's training script
        /// makes it in bf16 (the class itself says false).
        grad_reduce_in_fp32: bool = true,
        /// Whether gradients are reduced while backward goes on.
        overlap_grad_reduce: bool = false,
        /// Whether parameters are gathered while the next forward goes on.
        overlap_param_gather: bool = false,
        /// Elements of a bucket of gradients; when absent, megatron-core's choice: one bucket without overlap,
        /// else the larger of 40 million and a million for each rank.
        bucket_size: Option<u64> = None,
    }
}

names! {
    /// Megatron-Core's `recompute_granularity`.
    RecomputeGranularity {
        /// Nothing is computed again.
        None = "none",
        /// The modules of `recompute_modules`.
        Selective = "selective",
        /// Whole layers.
        Full = "full",
    }
}

names! {
    /// Megatron-Core's `recompute_method`, of whole layers.
    RecomputeMethod {
        /// All layers, in chunks of `recompute_num_layers`.
        Uniform = "uniform",
        /// The first `recompute_num_layers` of each pipeline stage.
        Block = "block",
    }
}

settings! {
    /// Activation recomputation of Megatron-Core (`TransformerConfig`, megatron-core 0.16.1). In JSON it may
    /// also stand as an object in `activation_checkpointing`.
    #[derive(Clone, Debug, PartialEq)]
    Recompute {
        /// The modules that are computed again.
        granularity: RecomputeGranularity = RecomputeGranularity::None,
        /// The layers, when whole ones are computed again.
        method: RecomputeMethod = RecomputeMethod::Uniform,
        /// Layers of a chunk, or of a stage.
        num_layers: u64 = 1,
        /// Names of modules, when selective: `core_attn`, `mlp`, `moe`, `moe_act`, `layernorm`,
        /// `mla_up_proj`, `shared_experts`.
        modules: Vec<String> = vec!["core_attn".to_owned()],
    }
}

impl Recompute {
    /// Whether it is as usual: nothing is computed again.
    pub fn is_usual(&self) -> bool {
        *self == Self::default()
    }
}
