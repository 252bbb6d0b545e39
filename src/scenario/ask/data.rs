//! The data set and its loader, as a scenario describes them.

use super::lengths::SampleLengths;
use super::omitted::is_false;
use crate::units::names;
use serde::{Deserialize, Serialize};

names! {
    /// How a data set is held in host memory.
    DatasetMode {
        /// Hugging Face `datasets` or Arrow, memory-mapped: page cache only.
        MemoryMapped = "memory_mapped",
        /// A pandas data frame with Python strings, read whole.
        Pandas = "pandas",
        /// A pandas data frame with Arrow strings (pandas 3's default), read whole.
        PandasArrow = "pandas_arrow",
        /// A pyarrow table read whole.
        ArrowTable = "arrow_table",
        /// Hugging Face `datasets` with `keep_in_memory=True`.
        ArrowInMemory = "arrow_in_memory",
        /// A list of dictionaries of Python strings.
        PythonList = "python_list",
        /// Lists of token ids as Python integers.
        TokenLists = "token_lists",
        /// One numpy array of int32 token ids.
        TokenArray = "token_array",
        /// One tensor of int64 token ids.
        TokenTensor = "token_tensor",
        /// The file is opened anew for each sample.
        Reopened = "reopened",
    }
}

names! {
    /// The fate of the memory that Arrow used while it read a file.
    ArrowPool {
        /// mimalloc, pyarrow's default, keeps it.
        Mimalloc = "mimalloc",
        /// `ARROW_DEFAULT_MEMORY_POOL=system` returns most of it.
        System = "system",
        /// `pyarrow.default_memory_pool().release_unused()` was called after reading.
        Released = "released",
    }
}

/// The data set, as it lies on disk and as it is loaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Dataset {
    /// How it is held.
    pub mode: DatasetMode,
    /// Bytes of its raw UTF-8 text.
    pub raw_bytes: u64,
    /// Samples.
    pub rows: u64,
    /// Text columns.
    pub columns: u64,
    /// Bytes of its file; from the raw text when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_bytes: Option<u64>,
    /// Tokens of a usual batch, padded to its longest sample; every batch has `seq_len` of them when
    /// absent, which else is the length of the longest batch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length_mean: Option<u64>,
    /// How long its samples are; longer ones are cut to `seq_len`. It says how long batches become, and changes
    /// no estimate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lengths: Option<SampleLengths>,
    /// Raw text of one Parquet row group, for [`DatasetMode::Reopened`]; as pyarrow writes it
    /// when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub row_group_bytes: Option<u64>,
    /// Passes over the data, each in a new order; 0 while the first has only begun.
    pub epochs: u64,
    /// The fate of the memory that Arrow used while it read the file.
    pub arrow_pool: ArrowPool,
}

impl Default for Dataset {
    fn default() -> Self {
        Self {
            mode: DatasetMode::MemoryMapped,
            raw_bytes: 1 << 30,
            rows: 1_000_000,
            columns: 2,
            file_bytes: None,
            length_mean: None,
            lengths: None,
            row_group_bytes: None,
            epochs: 3,
            arrow_pool: ArrowPool::Mimalloc,
        }
    }
}

/// `torch.utils.data.DataLoader`'s options.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DataLoader {
    /// Worker processes; 0 loads in the training process.
    pub num_workers: u64,
    /// Batches fetched ahead by each worker.
    pub prefetch_factor: u64,
    /// Whether batches are copied to pinned (page-locked) memory.
    pub pin_memory: bool,
    /// Whether workers live on after an epoch.
    #[serde(skip_serializing_if = "is_false")]
    pub persistent_workers: bool,
    /// Whether each epoch has a new random order.
    pub shuffle: bool,
    /// Whether batches are of samples of like length (`group_by_length` of transformers' trainer).
    #[serde(skip_serializing_if = "is_false")]
    pub group_by_length: bool,
    /// How workers are started.
    pub multiprocessing_context: MultiprocessingContext,
}

names! {
    /// How Python starts a worker process.
    MultiprocessingContext {
        /// A copy of the training process, PyTorch's default on Linux up to Python 3.13.
        Fork = "fork",
        /// A new interpreter.
        Spawn = "spawn",
        /// A copy of a server process that has imported nothing.
        Forkserver = "forkserver",
    }
}

impl Default for DataLoader {
    fn default() -> Self {
        Self {
            num_workers: 4,
            prefetch_factor: 2,
            pin_memory: true,
            persistent_workers: false,
            shuffle: true,
            group_by_length: false,
            multiprocessing_context: MultiprocessingContext::Fork,
        }
    }
}
