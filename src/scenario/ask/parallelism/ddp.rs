//! `torch.nn.parallel.DistributedDataParallel`.

use super::settings::settings;
use crate::units::names;

names! {
    /// A communication hook of DDP (`torch.distributed.algorithms.ddp_comm_hooks`).
    CommHook {
        /// There is none: buckets are reduced as they are.
        None = "none",
        /// `bf16_compress_hook`: a bucket is reduced as a copy in bfloat16.
        Bf16Compress = "bf16_compress",
    }
}

settings! {
    /// `torch.distributed.optim.ZeroRedundancyOptimizer` around the optimizer (torch 2.15).
    #[derive(Clone, Copy, Debug, PartialEq)]
    ZeroRedundancyOptimizer {
        /// Whether the parameters of a rank become views into one bucket
        /// (`parameters_as_bucket_view`, False by default there). Absent: there is no such optimizer.
        parameters_as_bucket_view: Option<bool> = None,
    }
}

settings! {
    /// Arguments of DDP (`torch/nn/parallel/distributed.py`, torch 2.15).
    #[derive(Clone, Copy, Debug, PartialEq)]
    Ddp {
        /// Whether gradients are views into the buckets that are reduced: no second copy of them.
        gradient_as_bucket_view: bool = false,
        /// MiB of a bucket.
        bucket_cap_mb: u64 = 25,
        /// Whether the same parameters get gradients in each step.
        static_graph: bool = false,
        /// Whether parameters without gradients are looked for after each forward.
        find_unused_parameters: bool = false,
        /// The communication hook.
        comm_hook: CommHook = CommHook::None,
    } groups {
        /// The optimizer's states divided among the ranks, parameter by parameter.
        zero_redundancy_optimizer: ZeroRedundancyOptimizer,
    }
}
