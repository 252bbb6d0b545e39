//! Treatment of activations besides keeping them: copies on the host, and operations whose results
//! checkpointed layers keep.

use crate::units::names;
use serde::{Deserialize, Serialize};

names! {
    /// Activations that wait on the host for backward.
    ActivationOffloadKind {
        /// Nothing.
        None = "none",
        /// Tensors that autograd saves, as TRL's `OffloadActivations` takes them around the forward pass.
        SavedTensors = "saved_tensors",
        /// Tensors that autograd saves, by `torch.autograd.graph.save_on_cpu(pin_memory=True)`.
        SaveOnCpu = "save_on_cpu",
        /// Inputs of checkpointed layers, as Unsloth and axolotl take them.
        LayerInputs = "layer_inputs",
    }
}

/// Activations on the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ActivationOffload {
    /// Which.
    pub kind: ActivationOffloadKind,
    /// Whether TRL copies saved tensors on a stream of their own.
    pub streams: bool,
}

impl Default for ActivationOffload {
    fn default() -> Self {
        Self {
            kind: ActivationOffloadKind::None,
            streams: true,
        }
    }
}

names! {
    /// Operations whose results checkpointed layers keep (`create_selective_checkpoint_contexts`).
    SavedOperation {
        /// `aten.mm` and `aten.addmm`.
        Mm = "mm",
        /// The fused kernels of sdpa.
        Attention = "attention",
    }
}

/// Results that layers keep that are checkpointed operation by operation. In JSON it may also stand as an object in
/// `activation_checkpointing`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Selective {
    /// Names of operations whose results are kept.
    pub save: Vec<String>,
    /// Whether of matrix products every second one is computed again all the same.
    pub every_second_mm: bool,
}

impl Default for Selective {
    fn default() -> Self {
        let save = SavedOperation::ALL.iter();
        Self {
            save: save.map(|name| name.name().to_owned()).collect(),
            every_second_mm: false,
        }
    }
}
