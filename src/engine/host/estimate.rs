//! The host model's answer.

use super::growth::Growth;
use crate::units::{Bytes, names};
use serde::{Deserialize, Serialize};

names! {
    /// The parts of host memory, in the order in which they are shown.
    HostPart {
        /// Python, PyTorch and other imports: private pages of each process.
        Libraries = "libraries",
        /// File-backed pages of libraries, once per node.
        SharedLibraries = "shared_libraries",
        /// The CUDA context's host side.
        CudaContext = "cuda_context",
        /// The tokenizer.
        Tokenizer = "tokenizer",
        /// The data set as it is held in memory.
        Dataset = "dataset",
        /// Worker processes: start-up and copy-on-write growth.
        Workers = "workers",
        /// Batches waiting in shared memory.
        PrefetchedBatches = "prefetched_batches",
        /// Pinned (page-locked) staging buffers.
        PinnedMemory = "pinned_memory",
        /// The model while it is read.
        ModelLoading = "model_loading",
        /// Parameters, gradients and optimizer states kept on the host.
        Offload = "offload",
        /// Parameters, gradients, optimizer states and activations of training on the CPU.
        Training = "training",
        /// Predictions of an evaluation.
        Predictions = "predictions",
        /// Copies of what a checkpoint saves.
        Saving = "saving",
        /// Page tables.
        PageTables = "page_tables",
        /// The launcher and other processes.
        OtherProcesses = "other_processes",
    }
}

names! {
    /// The phases of a training job as the host sees them.
    HostPhase {
        /// Imports, data set and model are loaded.
        Load = "load",
        /// Training goes on.
        Steady = "steady",
        /// An evaluation between steps of the training.
        Evaluation = "evaluation",
        /// A checkpoint is written.
        Save = "save",
    }
}

names! {
    /// Files whose pages the node's page cache holds: reclaimable, never counted as used.
    PageCachePart {
        /// The data set.
        Dataset = "dataset",
        /// The model's weights.
        Checkpoint = "checkpoint",
        /// The saved checkpoint, until it is written to disk.
        SavedFiles = "saved_files",
    }
}

/// Host memory of one phase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostPhaseUse {
    /// The phase.
    pub phase: HostPhase,
    /// Sum of the parts.
    pub total: Bytes,
    /// Bytes of each part that is not zero, in the order of [`HostPart::ALL`].
    #[serde(with = "as_map")]
    pub composition: Vec<(HostPart, Bytes)>,
}

impl HostPhase {
    /// The part that only some ranks have in it.
    pub const fn of_few(self) -> HostPart {
        match self {
            Self::Load => HostPart::ModelLoading,
            Self::Steady | Self::Evaluation | Self::Save => HostPart::Saving,
        }
    }
}

/// Parts that stand in the order of their kinds, as a map.
pub(super) mod as_map {
    use crate::units::Bytes;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::collections::BTreeMap;

    pub fn serialize<P: Serialize, S: Serializer>(
        parts: &[(P, Bytes)],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_map(parts.iter().map(|(part, bytes)| (part, bytes)))
    }

    pub fn deserialize<'de, P: Deserialize<'de> + Ord, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<(P, Bytes)>, D::Error> {
        let parts: BTreeMap<P, Bytes> = Deserialize::deserialize(deserializer)?;
        Ok(parts.into_iter().collect())
    }
}

/// Host memory of one node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostEstimate {
    /// The phase that needs most.
    pub peak: HostPhaseUse,
    /// Every phase.
    pub phases: Vec<HostPhaseUse>,
    /// Reclaimable page cache beside it, which must not be counted as used.
    pub page_cache: Bytes,
    /// The parts of the page cache that are not zero.
    #[serde(with = "as_map")]
    pub page_cache_parts: Vec<(PageCachePart, Bytes)>,
    /// Private memory of each training process with its workers, at the peak.
    pub per_rank: Vec<Bytes>,
    /// Parts of each rank alone at the peak; ranks that save also have [`HostPart::Saving`].
    #[serde(with = "as_map")]
    pub rank: Vec<(HostPart, Bytes)>,
    /// Parts of the node at the peak that do not depend on the number of ranks.
    #[serde(with = "as_map")]
    pub shared: Vec<(HostPart, Bytes)>,
    /// Number of ranks that save at the peak, or read for the others ([`HostPhase::of_few`]), and the bytes that each
    /// adds.
    pub saving: (u64, Bytes),
    /// Growth of the peak with batch, workers and ranks.
    pub growth: Vec<Growth>,
}
