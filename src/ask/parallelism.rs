//! How a run is spread over GPUs, as it is asked for.

use super::scenario::is_false;
use crate::units::names;
use serde::{Deserialize, Serialize};

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
    }
}

names! {
    /// Where DeepSpeed keeps something that is offloaded.
    OffloadDevice {
        /// On the GPU: it is not offloaded.
        None = "none",
        /// In host memory.
        Cpu = "cpu",
    }
}

/// Data parallelism over all GPUs of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DataParallel {
    /// Who divides the training state.
    #[serde(skip_serializing_if = "is_nobody")]
    pub kind: DataParallelKind,
    /// Ranks; as many as the hardware has GPUs when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// The stage of `ZeRO`: it divides optimizer states (1), gradients (2), parameters (3).
    #[serde(skip_serializing_if = "is_usual_stage")]
    pub stage: u64,
    /// DeepSpeed's `offload_optimizer.device`: optimizer states, fp32 weights, gradients.
    #[serde(skip_serializing_if = "is_on_device")]
    pub offload_optimizer: OffloadDevice,
    /// DeepSpeed's `offload_param.device`, with stage 3.
    #[serde(skip_serializing_if = "is_on_device")]
    pub offload_param: OffloadDevice,
    /// Elements of the buffers in which ZeRO-1 and 2 reduce gradients; 500 million when absent, as
    /// in DeepSpeed.
    #[serde(skip_serializing_if = "is_usual_bucket")]
    pub reduce_bucket_size: u64,
    /// FSDP's `CPUOffload(offload_params=True)` and `CPUOffloadPolicy()`.
    #[serde(skip_serializing_if = "is_false")]
    pub cpu_offload: bool,
    /// Whether what is offloaded lies in pinned memory.
    #[serde(skip_serializing_if = "is_true")]
    pub pin_memory: bool,
}

/// The stage of `ZeRO` when none is given.
const USUAL_STAGE: u64 = 2;

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_nobody(kind: &DataParallelKind) -> bool {
    *kind == DataParallelKind::None
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_on_device(place: &OffloadDevice) -> bool {
    *place == OffloadDevice::None
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_usual_stage(stage: &u64) -> bool {
    *stage == USUAL_STAGE
}

/// `reduce_bucket_size` when none is given (`deepspeed/runtime/zero/config.py`, 0.19.8).
const USUAL_BUCKET: u64 = 500_000_000;

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_usual_bucket(elements: &u64) -> bool {
    *elements == USUAL_BUCKET
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_true(value: &bool) -> bool {
    *value
}

impl Default for DataParallel {
    fn default() -> Self {
        Self {
            kind: DataParallelKind::None,
            size: None,
            stage: USUAL_STAGE,
            offload_optimizer: OffloadDevice::None,
            offload_param: OffloadDevice::None,
            reduce_bucket_size: USUAL_BUCKET,
            cpu_offload: false,
            pin_memory: true,
        }
    }
}

impl DataParallel {
    /// Whether optimizer states and the optimizer's step are on the host.
    pub fn offloads(&self) -> bool {
        match self.kind {
            DataParallelKind::None => false,
            DataParallelKind::Fsdp1 | DataParallelKind::Fsdp2 => self.cpu_offload,
            DataParallelKind::DeepSpeedZero => self.offload_optimizer == OffloadDevice::Cpu,
        }
    }
}

/// How a job is divided among its GPUs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Parallelism {
    /// Data parallelism.
    pub dp: DataParallel,
}

impl Parallelism {
    /// Whether nothing is divided.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}
