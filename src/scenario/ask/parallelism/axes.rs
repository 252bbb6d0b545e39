//! The axes of a mesh together.

use super::context::ContextParallel;
use super::data::{DataParallel, DataParallelKind};
use super::expert::ExpertParallel;
use super::mesh::{Mesh, Place};
use super::pipeline::PipelineParallel;
use super::settings::settings;
use super::tensor::TensorParallel;
use crate::ask::Hardware;

settings! {
    /// How a job is divided among its GPUs: `dp * tp * pp * cp` ranks.
    #[derive(Clone, Copy, Debug, PartialEq)]
    Parallelism {
    } groups {
        /// Data parallelism.
        dp: DataParallel,
        /// Tensor parallelism.
        tp: TensorParallel,
        /// Pipeline parallelism.
        pp: PipelineParallel,
        /// Context parallelism.
        cp: ContextParallel,
        /// Expert parallelism, whose ranks are among the others.
        ep: ExpertParallel,
    }
}

impl Parallelism {
    /// Whether nothing is divided.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Ranks that see the same data.
    pub fn model_ranks(&self) -> u64 {
        [self.tp.size, self.pp.size, self.cp.size]
            .into_iter()
            .fold(1, |ranks, size| ranks.saturating_mul(size.max(1)))
    }

    /// Ranks that are asked to see different data, where somebody divides something among them.
    pub fn data_ranks(&self) -> Option<u64> {
        let divided = self.dp.kind != DataParallelKind::None;
        self.dp.size.filter(|_| divided).map(|size| size.max(1))
    }

    /// All ranks that are asked for; where nothing says how many see different data, as if one did.
    pub fn world(&self) -> u64 {
        let data = self.data_ranks().unwrap_or(1);
        self.model_ranks().saturating_mul(data)
    }

    /// The ranks along each axis of a job on a machine: data parallelism gets the ranks that the other axes leave.
    pub fn mesh(&self, hardware: &Hardware) -> Mesh {
        let [nodes, per_node] = hardware.of_a_job();
        let gpus = nodes.saturating_mul(per_node);
        let dp = (gpus / self.model_ranks()).max(1);
        let cp = self.cp.size.max(1);
        let sharded = dp.saturating_mul(cp);
        let in_a_node =
            self.dp.kind == DataParallelKind::Fsdp1 && self.dp.fsdp.sharding_strategy.is_hybrid();
        let shard = match (self.dp.shard_size, self.dp.replicate_size) {
            (Some(shard), _) => shard,
            (None, Some(copies)) => sharded / copies.max(1),
            (None, None) if in_a_node => per_node.min(sharded),
            (None, None) => sharded,
        };
        let shard = shard.clamp(1, sharded);
        Mesh {
            dp,
            tp: self.tp.size.max(1),
            pp: self.pp.size.max(1),
            cp,
            ep: self.ep.size.max(1),
            shard,
            replicate: sharded / shard,
            per_node,
            rank: Place {
                dp: self.dp.rank,
                pp: self.pp.rank.unwrap_or(0),
                cp: self.cp.rank,
            },
        }
    }
}
