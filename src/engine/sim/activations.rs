//! Activations that wait on the host, and operations whose results checkpointed layers keep.

use crate::ask::ActivationOffloadKind;
use crate::model::ResolvedSpec;
use crate::tape::{HostCopies, KeptOperations, Tape};

/// Tells the tape what checkpointed layers keep, and where.
pub(super) fn prepare(t: &Tape, spec: &ResolvedSpec) {
    t.keep_operations(spec.saved_operations.map(|saved| KeptOperations {
        products: saved.mm,
        attention: saved.attention,
        every_second: saved.every_second_mm,
    }));
    t.keep_inputs_on_host(spec.activation_offload.kind == ActivationOffloadKind::LayerInputs);
}

/// The saved tensors that go to the host, if they do.
pub(super) fn host_copies(spec: &ResolvedSpec) -> Option<HostCopies> {
    match spec.activation_offload.kind {
        ActivationOffloadKind::SavedTensors if spec.activation_offload.streams => {
            Some(if spec.is_of_torchtune() {
                HostCopies::StreamedEach
            } else {
                HostCopies::Streamed
            })
        }
        ActivationOffloadKind::SavedTensors => Some(HostCopies::Large),
        ActivationOffloadKind::SaveOnCpu => Some(HostCopies::All),
        ActivationOffloadKind::None | ActivationOffloadKind::LayerInputs => {
            spec.offload.activations.then_some(HostCopies::All)
        }
    }
}
