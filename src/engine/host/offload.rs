//! Parameters, gradients and optimizer states that live on the host, and the optimizer's step there.

use super::data_parallel;
use super::job::HostInputs;
use crate::ask::{Optimizer, OptimizerImpl, OptimizerName};
use crate::model::ResolvedSpec;
use crate::units::Bytes;

/// Memory and work of each rank on the host in place of the device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offloaded {
    /// Parameters, gradients and activations in pinned memory.
    pub pinned: Bytes,
    /// Parameters and gradients in ordinary memory.
    pub pageable: Bytes,
    /// Optimizer states, in ordinary memory.
    pub states: Bytes,
    /// Temporaries of the optimizer's step.
    pub step: Bytes,
}

impl Offloaded {
    /// Memory under FSDP, DeepSpeed or torchao's `CPUOffloadOptimizer`.
    pub(super) fn new(spec: &ResolvedSpec, inputs: &HostInputs) -> Self {
        let mut offloaded = if spec.parallelism.dp.offloads() {
            data_parallel::offloaded(spec, &inputs.parameters)
        } else {
            torchao(&spec.optimizer, inputs)
        };
        offloaded.pinned += inputs.host_activations_pinned;
        offloaded
    }

    pub(super) fn total(self) -> Bytes {
        self.pinned + self.pageable + self.states + self.step
    }
}

/// A pinned copy of each large parameter and of its gradient, each with an optimizer of its own.
fn torchao(optimizer: &Optimizer, inputs: &HostInputs) -> Offloaded {
    let largest = inputs.largest_tensor_bytes.min(inputs.host_copies);
    let alone = OptimizerImpl::ForLoop;
    Offloaded {
        pinned: inputs.host_copies_pinned.times(2),
        pageable: Bytes::ZERO,
        states: inputs.host_copies.times(optimizer.moments()),
        step: match optimizer.name {
            // `AdamW` is made with `fused=True`.
            OptimizerName::AdamW => Bytes::ZERO,
            _ => step_temporaries(optimizer, alone, largest, largest),
        },
    }
}

/// Temporaries of a step of Adam or SGD on the CPU (torch 2.15,
/// `torch/optim/{adam,sgd}.py`; measured: hostram 7). The loop over single tensors, PyTorch's
/// choice on the CPU, makes Adam's square root and its quotient, and the gradient with weight
/// decay added; the quotient of the tensor before it still lives. The foreach step makes one of
/// all tensors, the fused one none.
pub(super) fn step_temporaries(
    optimizer: &Optimizer,
    implementation: OptimizerImpl,
    largest: Bytes,
    all: Bytes,
) -> Bytes {
    let adam = u64::from(matches!(
        optimizer.name,
        OptimizerName::AdamW | OptimizerName::Adam
    ));
    let decayed = u64::from(optimizer.weight_decay && optimizer.name != OptimizerName::AdamW);
    match implementation {
        OptimizerImpl::Fused | OptimizerImpl::Compiled | OptimizerImpl::None => Bytes::ZERO,
        OptimizerImpl::Foreach => all.times(adam + decayed),
        OptimizerImpl::ForLoop => {
            let before = (all - largest).min(largest).times(adam);
            largest.times(2 * adam + decayed) + before
        }
    }
}
