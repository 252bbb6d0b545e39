//! Data parallelism: who divides the training state among ranks that see different data.

use super::ddp::Ddp;
use super::fsdp::Fsdp;
use super::megatron::MegatronDdp;
use super::settings::settings;
use super::zero::{OffloadDevice, Zero};
use crate::ask::quantization::ComputeDtype;
use crate::units::{DType, names};

names! {
    /// Who divides the training state among the ranks.
    DataParallelKind {
        /// Nobody: every rank has all of it.
        None = "none",
        /// `torch.distributed.fsdp.FullyShardedDataParallel`.
        Fsdp1 = "fsdp1",
        /// `torch.distributed.fsdp.fully_shard`.
        Fsdp2 = "fsdp2",
        /// DeepSpeed's `zero_optimization`.
        DeepSpeedZero = "deepspeed_zero",
        /// `torch.nn.parallel.DistributedDataParallel`: all ranks have all of it and average gradients.
        Ddp = "ddp",
        /// Megatron-Core's `DistributedDataParallel`, with its distributed optimizer.
        Megatron = "megatron",
    }
}

settings! {
    /// Data parallelism, and in the same object the settings of each kind.
    #[derive(Clone, Copy, Debug, PartialEq)]
    DataParallel {
        /// Who divides the training state.
        kind: DataParallelKind = DataParallelKind::None,
        /// Ranks that see different data; the GPUs that the other axes leave when absent.
        size: Option<u64> = None,
        /// The rank that is looked at, where shares differ.
        rank: u64 = 0,
        /// Ranks among which one copy of the parameters is divided: with context parallelism, those of both
        /// axes. All of them when absent, and those of a node in FSDP1's hybrid strategies.
        shard_size: Option<u64> = None,
        /// Copies of the parameters, each divided among `shard_size` ranks; as many as that leaves when
        /// absent.
        replicate_size: Option<u64> = None,
        /// Whether gradients are reduced after the last micro-batch of a step only: DDP's and FSDP1's
        /// `no_sync()`, FSDP2's `set_requires_gradient_sync(False)`. True when absent, as Trainer and
        /// accelerate 1.15 do.
        no_sync: bool = true,
        /// Whether what is offloaded lies in pinned memory.
        pin_memory: bool = true,
    } with {
        /// Settings of DDP.
        ddp: Ddp,
        /// Settings of FSDP1 and FSDP2.
        fsdp: Fsdp,
        /// Settings of DeepSpeed's `ZeRO`.
        zero: Zero,
        /// Settings of Megatron-Core's data parallelism.
        megatron: MegatronDdp,
    }
}

impl DataParallel {
    /// The dtype in which FSDP gathers parameters and computes with them, where it is told one.
    pub fn compute_dtype(&self) -> Option<DType> {
        let sharded = matches!(self.kind, DataParallelKind::Fsdp1 | DataParallelKind::Fsdp2);
        let asked = self.fsdp.mixed_precision.param.filter(|_| sharded);
        asked.map(ComputeDtype::dtype)
    }

    /// Whether each rank has a part of each parameter from DeepSpeed.
    pub fn partitions_parameters(&self) -> bool {
        self.kind == DataParallelKind::DeepSpeedZero && self.zero.stage == 3
    }

    /// Whether optimizer states and the optimizer's step are on the host.
    pub fn offloads(&self) -> bool {
        match self.kind {
            DataParallelKind::None | DataParallelKind::Ddp | DataParallelKind::Megatron => false,
            DataParallelKind::Fsdp1 | DataParallelKind::Fsdp2 => self.fsdp.cpu_offload,
            DataParallelKind::DeepSpeedZero => self.zero.offload_optimizer == OffloadDevice::Cpu,
        }
    }
}
