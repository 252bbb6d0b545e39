//! An optimizer on the host: which parameters it has, and which parameters are left for the device.
//!
//! Source: `torchao/optim/cpu_offload.py`, torchao 0.18. Copies between host and device allocate
//! nothing on the device.

use crate::optim::Optimizer;
use crate::tape::{Tape, Tensor};
use crate::units::{Stream, Wait};

/// The stream of copies between device and host.
const COPIES: Stream = Stream::side(2);

/// `minimal_size`: parameters of fewer elements stay with an optimizer on the device.
const MINIMAL_SIZE: u64 = 4_096;

fn is_offloaded(parameter: &Tensor) -> bool {
    parameter.numel() >= MINIMAL_SIZE
}

/// Bytes of each parameter that has a copy on the host.
pub(super) fn host_copies(t: &Tape) -> Vec<u64> {
    let mut copies = Vec::new();
    t.for_each_parameter(|_, parameter, _| {
        if is_offloaded(parameter) {
            copies.push(parameter.numel() * parameter.dtype().size());
        }
    });
    copies
}

/// Drops the gradients that go to the host, which takes as long as that stream does.
pub(super) fn drop_offloaded(t: &Tape) {
    t.with_gradients_of(is_offloaded, |t| {
        t.wait_stream(COPIES, t.stream());
        t.for_each_parameter(|_, _, gradient| {
            if let Some(gradient) = gradient {
                t.record_stream(gradient, COPIES);
            }
        });
        t.drop_gradients();
    });
}

/// The step on the device, which knows the small parameters only.
pub(super) fn step(t: &Tape, optimizer: &mut Optimizer) {
    t.with_gradients_of(|parameter| !is_offloaded(parameter), |t| optimizer.step(t));
    t.wait(Wait::Host(COPIES));
}
