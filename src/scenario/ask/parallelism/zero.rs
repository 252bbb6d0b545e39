//! DeepSpeed's `ZeRO`.

use super::settings::settings;
use crate::units::names;

names! {
    /// The place of offloaded state under DeepSpeed.
    OffloadDevice {
        /// On the GPU: it is not offloaded.
        None = "none",
        /// In host memory.
        Cpu = "cpu",
    }
}

settings! {
    /// `zero_optimization` of a DeepSpeed configuration, with its names and defaults
    /// (`deepspeed/runtime/zero/config.py`, 0.19.8).
    #[derive(Clone, Copy, Debug, PartialEq)]
    Zero {
        /// The stage: it divides optimizer states (1), gradients (2), parameters (3).
        stage: u64 = 2,
        /// `offload_optimizer.device`: optimizer states, fp32 weights, gradients.
        offload_optimizer: OffloadDevice = OffloadDevice::None,
        /// `offload_param.device`, with stage 3.
        offload_param: OffloadDevice = OffloadDevice::None,
        /// `bf16.enabled`; when absent, as the scenario's precision says.
        bf16: Option<bool> = None,
        /// Whether gradients are reduced while backward goes on; when absent, in stage 3 only.
        overlap_comm: Option<bool> = None,
        /// Whether gradients are copied into one buffer as they come.
        contiguous_gradients: bool = true,
        /// Elements of the buffers in which gradients are reduced.
        reduce_bucket_size: u64 = 500_000_000,
        /// Elements that are gathered at once after a step (stages 1 and 2).
        allgather_bucket_size: u64 = 500_000_000,
        /// Stage 3: elements after which the optimizer begins another group.
        sub_group_size: u64 = 1_000_000_000,
        /// Stage 3: gathered elements that may live at once.
        stage3_max_live_parameters: u64 = 1_000_000_000,
        /// Stage 3: elements between two uses, within which a gathered parameter stays.
        stage3_max_reuse_distance: u64 = 1_000_000_000,
        /// Stage 3: elements gathered ahead.
        stage3_prefetch_bucket_size: u64 = 50_000_000,
        /// Stage 3: parameters with fewer elements are never divided.
        stage3_param_persistence_threshold: u64 = 100_000,
        /// Stage 3: ranks among which a second copy of the parameters is divided (hpZ of `ZeRO++`); 1 means
        /// none.
        zero_hpz_partition_size: u64 = 1,
    }
}

impl Zero {
    /// Whether gradients are reduced while backward goes on.
    pub fn overlaps(&self) -> bool {
        self.overlap_comm.unwrap_or(self.stage == 3)
    }
}
