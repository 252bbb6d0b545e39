//! Parameters, gradients and optimizer states that live on the host, and the optimizer's step there.

use super::job::HostInputs;
use crate::spec::{Optimizer, OptimizerName};
use crate::units::Bytes;

/// What each rank keeps and does on the host in place of the device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offloaded {
    /// A pinned copy of each parameter and a pinned gradient of it, and pinned activations.
    pub pinned: Bytes,
    /// Optimizer states in ordinary memory.
    pub states: Bytes,
    /// Temporaries of the optimizer's step.
    pub step: Bytes,
}

impl Offloaded {
    /// What `CPUOffloadOptimizer` keeps for the parameters with a copy on the host.
    pub(super) fn new(optimizer: &Optimizer, inputs: &HostInputs) -> Self {
        let largest = inputs.largest_tensor_bytes.min(inputs.host_copies);
        Self {
            pinned: inputs.host_copies_pinned.times(2) + inputs.host_activations_pinned,
            states: inputs.host_copies.times(optimizer.moments()),
            step: largest.times(step_temporaries(optimizer)),
        }
    }

    pub(super) fn total(self) -> Bytes {
        self.pinned + self.states + self.step
    }
}

/// Tensors of the largest parameter's size that one step on the CPU allocates for a moment
/// (torch 2.15, `torch/optim/{adam,sgd}.py`: the loop over single tensors, PyTorch's choice on
/// the CPU): Adam's square root and its quotient, and the gradient with weight decay added;
/// measured with one tensor, 2.0 (hostram 7). The fused step, which `CPUOffloadOptimizer` makes
/// of `AdamW`, has none (measured: 0.0).
fn step_temporaries(optimizer: &Optimizer) -> u64 {
    let decayed = u64::from(optimizer.weight_decay);
    match optimizer.name {
        OptimizerName::Adam => 2 + decayed,
        OptimizerName::Sgd => decayed,
        _ => 0,
    }
}
