//! Tensors that are kept in host RAM instead of GPU memory.

use super::omitted::is_false;
use super::optimizer::{Optimizer, OptimizerImpl, OptimizerName};
use serde::{Deserialize, Serialize};

/// Optimizer states and gradients in host memory, as `torchao.optim.CPUOffloadOptimizer` (torchao
/// 0.18, `torchao/optim/cpu_offload.py`) keeps them: every large parameter has a pinned copy of
/// itself and of its gradient, an optimizer of its own and its step on the CPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Offload {
    /// Optimizer states, and with them the step.
    #[serde(skip_serializing_if = "is_false")]
    pub optimizer_states: bool,
    /// Gradients leave the device as soon as they are copied (`offload_gradients`).
    #[serde(skip_serializing_if = "is_false")]
    pub gradients: bool,
    /// Tensors for backward (`torch.autograd.graph.save_on_cpu(pin_memory=True)`).
    #[serde(skip_serializing_if = "is_false")]
    pub activations: bool,
}

impl Offload {
    /// Whether nothing is offloaded.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// The optimizer as it is constructed for offloading: `AdamW` is fused on the CPU, the others
    /// are what `torch.optim` chooses there.
    pub fn optimizer(self, asked: Optimizer) -> Optimizer {
        if !self.optimizer_states {
            return asked;
        }
        let implementation = if asked.name == OptimizerName::AdamW {
            OptimizerImpl::Fused
        } else {
            OptimizerImpl::Foreach
        };
        Optimizer {
            implementation,
            ..asked
        }
    }
}
