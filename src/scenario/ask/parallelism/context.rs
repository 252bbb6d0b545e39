//! Context parallelism: the sequence divided among ranks that see the same samples.

use super::settings::settings;
use crate::units::names;

names! {
    /// How attention sees the whole sequence.
    ContextParallelKind {
        /// `torch.distributed.tensor.experimental.context_parallel`: keys and values go around.
        Ring = "ring",
        /// DeepSpeed-Ulysses: heads in place of positions during attention.
        Ulysses = "ulysses",
    }
}

names! {
    /// How keys and values of ring attention come to each rank (`set_rotate_method`).
    RotateMethod {
        /// All of them at once.
        AllGather = "allgather",
        /// One rank's at a time.
        AllToAll = "alltoall",
    }
}

settings! {
    /// Context parallelism (torch 2.15, deepspeed 0.19.8). `seq_len` is that of the whole sequence.
    #[derive(Clone, Copy, Debug, PartialEq)]
    ContextParallel {
        /// How attention sees the whole sequence.
        kind: ContextParallelKind = ContextParallelKind::Ring,
        /// Ranks among which the sequence is divided; 1 means none.
        size: u64 = 1,
        /// The rank that is looked at.
        rank: u64 = 0,
        /// Of ring attention: how keys and values come.
        rotate: RotateMethod = RotateMethod::AllGather,
    }
}
