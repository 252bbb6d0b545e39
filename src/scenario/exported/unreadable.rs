//! Why a file is no graph.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Why a file is no graph that can be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unreadable {
    /// No archive of any kind.
    NoArchive,
    /// An archive that breaks off or is damaged.
    Damaged(String),
    /// An archive that `torch.export` did not write.
    OtherArchive,
    /// `torch.jit.save`.
    TorchScript,
    /// `torch.save`, of a state dict as a rule.
    StateDict,
    /// safetensors.
    Safetensors,
    /// ONNX.
    Onnx,
    /// A compiled package (`AOTInductor`), without the graph.
    Compiled,
    /// JSON that is no graph: where it breaks off.
    NoGraph(String),
    /// Written by a torch before 2.6, with this major version of the format.
    TooOld(u64),
    /// A program after decomposition, without the operations that eager training runs: one of its own.
    Decomposed(String),
    /// Larger than the largest that is read; its bytes.
    TooLarge(u64),
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

impl std::error::Error for Unreadable {}
