//! The machine and the settings of PyTorch's allocator, as a scenario describes them.

use super::omitted::{is_false, is_nothing};
use super::roundup::RoundupDivisions;
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
    /// Bytes of each GPU that other programs hold, as nvidia-smi shows them before the job starts: another
    /// job, a desktop, an inference server.
    #[serde(skip_serializing_if = "is_nothing")]
    pub gpu_memory_in_use: u64,
    /// GPUs in one machine.
    pub gpus_per_node: u64,
    /// Machines.
    pub nodes: u64,
    /// Training processes sharing one GPU.
    pub processes_per_gpu: u64,
    /// Training processes on each GPU of a machine where they differ, as in `2,2,2,2,1,1,1`: processes that train
    /// alone, all the same. Replaces `processes_per_gpu`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processes_by_gpu: Option<String>,
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
            gpu_memory_in_use: 0,
            gpus_per_node: 1,
            nodes: 1,
            processes_per_gpu: 1,
            processes_by_gpu: None,
            host_ram: 128 << 30,
            swap: 0,
        }
    }
}

impl Hardware {
    /// Processes on each GPU of a machine, where they are given for each; nothing where that cannot be read.
    pub fn by_gpu(&self) -> Option<Vec<u64>> {
        let list = self.processes_by_gpu.as_deref()?.split(',');
        list.map(|count| count.trim().parse().ok()).collect()
    }

    /// Processes on the GPU that has most.
    pub fn most_processes(&self) -> u64 {
        let most = self.by_gpu().and_then(|all| all.into_iter().max());
        most.unwrap_or(self.processes_per_gpu)
    }

    /// Nodes, and GPUs of each, that one job is on.
    pub fn of_a_job(&self) -> [u64; 2] {
        if self.processes_by_gpu.is_some() {
            [1, 1]
        } else {
            [self.nodes, self.gpus_per_node]
        }
    }

    /// Jobs on a machine.
    pub fn jobs(&self) -> u64 {
        if self.processes_by_gpu.is_some() {
            self.processes()
        } else {
            self.processes_per_gpu
        }
    }

    /// Processes on a machine.
    pub fn processes(&self) -> u64 {
        match self.by_gpu() {
            Some(all) => all.into_iter().fold(0, u64::saturating_add),
            None => self.gpus_per_node.saturating_mul(self.processes_per_gpu),
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
