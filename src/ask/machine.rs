//! The machine and the settings of PyTorch's allocator, as a scenario describes them.

use super::roundup::RoundupDivisions;
use super::scenario::is_false;
use serde::{Deserialize, Serialize};

/// The machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Hardware {
    /// An accelerator of the catalog.
    pub gpu: String,
    /// GPU memory in bytes, when it differs from the catalog's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpu_memory: Option<u64>,
    /// GPUs in one machine.
    pub gpus_per_node: u64,
    /// Machines.
    pub nodes: u64,
    /// Training processes sharing one GPU.
    pub processes_per_gpu: u64,
    /// RAM of one machine in bytes.
    pub host_ram: u64,
    /// Swap of one machine in bytes.
    pub swap: u64,
}

impl Default for Hardware {
    fn default() -> Self {
        Self {
            gpu: "a100-80gb".to_owned(),
            gpu_memory: None,
            gpus_per_node: 1,
            nodes: 1,
            processes_per_gpu: 1,
            host_ram: 128 << 30,
            swap: 0,
        }
    }
}

/// `PYTORCH_CUDA_ALLOC_CONF`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AllocatorSettings {
    /// `expandable_segments:True`.
    #[serde(skip_serializing_if = "is_false")]
    pub expandable_segments: bool,
    /// `max_split_size_mb`: larger blocks are never split.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_split_size_mb: Option<u64>,
    /// `roundup_power2_divisions`, one number or a list by size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roundup_power2_divisions: Option<RoundupDivisions>,
    /// `garbage_collection_threshold`, a share of the memory limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub garbage_collection_threshold: Option<f64>,
    /// `torch.cuda.empty_cache()` between building the model and the first step.
    #[serde(skip_serializing_if = "is_false")]
    pub empty_cache_after_loading: bool,
}
