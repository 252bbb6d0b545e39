//! PyTorch's fully sharded data parallelism, the wrapper and `fully_shard`.

use super::settings::settings;
use super::tensor::Plan;
use crate::ask::quantization::ComputeDtype;
use crate::units::names;

names! {
    /// The state that FSDP1 divides, and when (`torch.distributed.fsdp.ShardingStrategy`).
    ShardingStrategy {
        /// Parameters, gradients and optimizer states; parameters are gathered for each pass.
        FullShard = "FULL_SHARD",
        /// The same, but gathered parameters stay from forward to backward.
        ShardGradOp = "SHARD_GRAD_OP",
        /// `FULL_SHARD` within a group of ranks, copies between groups.
        HybridShard = "HYBRID_SHARD",
        /// `SHARD_GRAD_OP` within a group of ranks, copies between groups.
        HybridShardZero2 = "HYBRID_SHARD_ZERO2",
        /// Nothing.
        NoShard = "NO_SHARD",
    }
}

impl ShardingStrategy {
    /// Whether groups of ranks hold copies.
    pub const fn is_hybrid(self) -> bool {
        matches!(self, Self::HybridShard | Self::HybridShardZero2)
    }
}

names! {
    /// When FSDP1 gathers the next parameters in backward (`torch.distributed.fsdp.BackwardPrefetch`).
    BackwardPrefetch {
        /// `BACKWARD_PRE`: before the gradients of the present ones are computed.
        Pre = "pre",
        /// `BACKWARD_POST`: after that.
        Post = "post",
        /// When they are needed.
        None = "none",
    }
}

settings! {
    /// `MixedPrecisionPolicy` of FSDP2 and `MixedPrecision` of FSDP1 (torch 2.15): nothing is cast when all
    /// is absent.
    #[derive(Clone, Copy, Debug, PartialEq)]
    MixedPrecision {
        /// The dtype in which parameters are gathered and used (`param_dtype`).
        param: Option<ComputeDtype> = None,
        /// The dtype in which gradients are reduced (`reduce_dtype`); that of `param` when absent.
        reduce: Option<ComputeDtype> = None,
        /// The dtype that outputs are cast to (`output_dtype`).
        output: Option<ComputeDtype> = None,
        /// Whether floating-point inputs are cast to that of `param` (`cast_forward_inputs`).
        cast_forward_inputs: bool = true,
    }
}

settings! {
    /// Options of FSDP: `fully_shard` on each layer and on the model (FSDP2,
    /// `torch/distributed/fsdp/_fully_shard/_fully_shard.py`) or the wrapper around each layer and the model
    /// (FSDP1, `fully_sharded_data_parallel.py`); torch 2.15, FSDP1's defaults as accelerate 1.15 sets them.
    #[derive(Clone, Copy, Debug, PartialEq)]
    Fsdp {
        /// Both: `CPUOffload(offload_params=True)` and `CPUOffloadPolicy()`.
        cpu_offload: bool = false,
        /// FSDP2: whether gathered parameters of layers are given back after forward.
        reshard_after_forward: bool = true,
        /// FSDP2: the same of the model's own, and of the head's group where embeddings are wrapped; when absent
        /// `fully_shard`'s choice, which keeps them.
        reshard_root_after_forward: Option<bool> = None,
        /// FSDP2: whether embeddings are a group of their own, and final norm and head another one; all three are one
        /// where they are tied.
        wrap_embeddings: bool = false,
        /// FSDP2: layers gathered ahead (`set_modules_to_forward_prefetch`, `..._backward_prefetch`); 0 leaves
        /// it to FSDP, which gathers one ahead in backward.
        explicit_prefetch: u64 = 0,
        /// FSDP2: which modules are groups: each layer and the rest, or transformers' `base_model_fsdp_plan`.
        plan: Plan = Plan::Usual,
        /// FSDP1: what is divided.
        sharding_strategy: ShardingStrategy = ShardingStrategy::FullShard,
        /// FSDP1: whether parameters stay views into the flat one, so that each has its own optimizer state.
        use_orig_params: bool = true,
        /// FSDP1: when the next parameters are gathered in backward.
        backward_prefetch: BackwardPrefetch = BackwardPrefetch::Pre,
        /// FSDP1: whether the next parameters are gathered during forward.
        forward_prefetch: bool = false,
        /// FSDP1: whether the CPU waits so that at most two layers are gathered at once.
        limit_all_gathers: bool = true,
        /// FSDP1: whether each module that is trained by itself is a unit of its own, as in peft's
        /// `fsdp_auto_wrap_policy`.
        wrap_trainable_leaves: bool = false,
        /// FSDP1: whether the model is built on the CPU, and each unit moves to the device when it is wrapped
        /// (`device_id`), as with accelerate; else it is built on the device.
        built_on_cpu: bool = false,
        /// Both: whether of a node's ranks the first alone reads the weights of an unquantized model, and sends them to
        /// the others (`cpu_ram_efficient_loading` of accelerate's plugin).
        cpu_ram_efficient_loading: bool = false,
    } groups {
        /// Both: the parameters of a mixed precision.
        mixed_precision: MixedPrecision,
    }
}
