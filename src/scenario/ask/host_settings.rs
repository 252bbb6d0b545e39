//! Settings of the training process on the host.

use crate::units::names;
use serde::{Deserialize, Serialize};

names! {
    /// Libraries that a training process imports; each set holds what its packages import themselves.
    Libraries {
        /// A bare interpreter.
        Python = "python",
        /// numpy.
        Numpy = "numpy",
        /// pandas.
        Pandas = "pandas",
        /// pyarrow.
        Pyarrow = "pyarrow",
        /// Hugging Face datasets.
        Datasets = "datasets",
        /// torch.
        Torch = "torch",
        /// torch, pandas and pyarrow.
        TorchPandas = "torch_pandas",
        /// torch and Hugging Face datasets.
        TorchDatasets = "torch_datasets",
        /// torch and accelerate.
        Accelerate = "accelerate",
        /// torch and transformers without its Trainer.
        Transformers = "transformers",
        /// torch, transformers, accelerate and peft without the Trainer.
        Peft = "peft",
        /// transformers' Trainer and all that comes with it.
        Trainer = "trainer",
    }
}

names! {
    /// The tokenizer that a training process holds.
    TokenizerKind {
        /// None: the data are tokenized already.
        None = "none",
        /// A fast byte-pair tokenizer (GPT-2, Llama 3, Qwen).
        Bpe = "bpe",
        /// A fast Unigram tokenizer (T5, XLM-R).
        Unigram = "unigram",
    }
}

names! {
    /// How the weights come into the process.
    Checkpoint {
        /// `from_pretrained` in the dtype of the file: memory-mapped.
        SameDtype = "same_dtype",
        /// `from_pretrained` in another dtype than the file's.
        Converted = "converted",
        /// A new model with random weights.
        RandomInit = "random_init",
        /// A new model, then `load_state_dict(torch.load(...))`.
        StateDict = "state_dict",
        /// A new model, then `load_state_dict` of a mapped file: `safetensors.torch.load_file(...)`,
        /// `torch.load(..., mmap=True)`.
        MappedStateDict = "mapped_state_dict",
        /// `torch.load(...)` alone: what takes the weights over is on the device, or is the file's
        /// tensors themselves (`assign=True`).
        TorchLoad = "torch_load",
        /// A mapped file: `torch.load(..., mmap=True)`, safetensors' `load_file`, or
        /// `safe_open`, tensor by tensor.
        Mapped = "mapped",
        /// `from_pretrained` in fp32, then `.half()` or `.to(torch.bfloat16)`.
        Cast = "cast",
    }
}

names! {
    /// How sharded training writes a checkpoint.
    Saving {
        /// All of it gathered on rank 0 (`FULL_STATE_DICT`, `stage3_gather_16bit_weights_on_model_save`).
        FullState = "full_state",
        /// Each rank its own shards.
        Shards = "shards",
    }
}

/// The training process as the host sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct HostSettings {
    /// Libraries that are imported.
    pub libraries: Libraries,
    /// The tokenizer.
    pub tokenizer: TokenizerKind,
    /// How the weights are read; when absent, by `from_pretrained`, in another dtype than the
    /// file's where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<Checkpoint>,
    /// Whether the process has a CUDA context; without one it trains on the CPU.
    pub cuda: bool,
    /// Whether a launcher (torchrun, accelerate launch) stays beside the training processes; when
    /// absent, as soon as there is more than one of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub launcher: Option<bool>,
    /// How FSDP and ZeRO-3 save; when absent, FSDP1 the full state, the others shards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub saving: Option<Saving>,
    /// Bytes that the operating system and other programs of the node use.
    pub other_memory: u64,
}

impl Default for HostSettings {
    fn default() -> Self {
        Self {
            libraries: Libraries::Trainer,
            tokenizer: TokenizerKind::Bpe,
            checkpoint: None,
            cuda: true,
            launcher: None,
            saving: None,
            other_memory: 0,
        }
    }
}
