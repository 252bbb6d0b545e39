//! Tensor parallelism: each matrix divided among ranks that see the same data.

use super::settings::settings;
use crate::units::names;

names! {
    /// Who divides the matrices.
    TensorParallelKind {
        /// `torch.distributed.tensor.parallel.parallelize_module`.
        DTensor = "dtensor",
        /// Megatron-Core's `ColumnParallelLinear` and `RowParallelLinear`.
        Megatron = "megatron",
    }
}

names! {
    /// The plan of modules that are divided.
    Plan {
        /// As training scripts of PyTorch do: attention and MLP of each layer, embeddings and head.
        Usual = "usual",
        /// As transformers' own plans say (`base_model_tp_plan`, `base_model_fsdp_plan`,
        /// `base_model_ep_plan`; transformers 5.23).
        Transformers = "transformers",
    }
}

settings! {
    /// Tensor parallelism (torch 2.15, megatron-core 0.16.1).
    #[derive(Clone, Copy, Debug, PartialEq)]
    TensorParallel {
        /// Who divides the matrices.
        kind: TensorParallelKind = TensorParallelKind::DTensor,
        /// Ranks among which each matrix is divided (`tensor_model_parallel_size`); 1 means none.
        size: u64 = 1,
        /// Whether norms and residuals are divided along the sequence (`SequenceParallel`,
        /// `sequence_parallel`).
        sequence_parallel: bool = false,
        /// Whether logits stay divided along the vocabulary for the loss (`loss_parallel`); Megatron-Core always
        /// does so.
        loss_parallel: bool = false,
        /// Whether embeddings and head are divided.
        shard_embeddings: bool = true,
        /// The plan of modules that are divided.
        plan: Plan = Plan::Usual,
    }
}
