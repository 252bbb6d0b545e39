//! What autograd saves, where it waits on the host for backward.
//!
//! Source: `save_on_cpu` of `torch/autograd/graph.py`, torch 2.15, and `OffloadActivations` of
//! `trl/models/activation_offloading.py`, TRL 1.16.

use super::checkpoint::Saved;
use super::{Category, Tape, Tensor};
use crate::units::{DType, Shape};

/// Bytes of the smallest tensor that TRL copies (`min_offload_size`).
const SMALLEST: u64 = 1024;

/// What goes to the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostCopies {
    /// All that is saved (`save_on_cpu`).
    All,
    /// What is no parameter and not small, but what the head saves (TRL's `OffloadActivations`).
    Large,
}

/// Bytes of what was kept on the host, while it goes there.
pub(super) struct OnHost {
    what: HostCopies,
    bytes: Vec<u64>,
}

/// What a tensor on the host is when it comes back: dimensions that were one for all are again.
pub(super) struct HostCopy {
    copied: Shape,
    shape: Shape,
    dtype: DType,
}

impl HostCopy {
    /// The tensor on the device.
    pub(super) fn back(&self, t: &Tape) -> Tensor {
        let copy = t.empty("_to_copy", self.copied, self.dtype);
        if self.copied == self.shape {
            copy
        } else {
            t.expand(&copy, self.shape)
        }
    }
}

/// The dimensions of a tensor that lie apart in memory.
fn apart(tensor: &Tensor) -> Shape {
    let mut shape = *tensor.shape();
    let strides = tensor.strides();
    for (size, stride) in shape.dims_mut().iter_mut().zip(strides.dims()) {
        if *stride == 0 {
            *size = 1;
        }
    }
    shape
}

impl Tape {
    /// Runs `f`, in which what is kept for backward goes to the host; it comes back when it is needed. Gives
    /// the bytes of each tensor on the host, too.
    pub fn save_on_host<R>(&self, what: HostCopies, f: impl FnOnce() -> R) -> (R, Vec<u64>) {
        let bytes = Vec::new();
        let outer = self.offload.borrow_mut().replace(OnHost { what, bytes });
        let result = f();
        let on_host = self.offload.replace(outer);
        (
            result,
            on_host.map(|on_host| on_host.bytes).unwrap_or_default(),
        )
    }

    /// From here on what re-entrant checkpoints save goes to the host, or not.
    pub fn keep_inputs_on_host(&self, kept: bool) {
        self.inputs_on_host.set(kept);
    }

    /// Runs a head, what it saves of which TRL keeps on the device.
    pub fn around_head<R>(&self, run: impl FnOnce() -> R) -> R {
        let keeps = |on_host: &mut OnHost| on_host.what != HostCopies::All;
        let outer = self.offload.borrow_mut().take_if(keeps);
        let result = run();
        if outer.is_some() {
            self.offload.replace(outer);
        }
        result
    }

    /// Keeps a tensor on the host, if it goes there.
    pub(super) fn saved_on_host(&self, tensor: &Tensor) -> Option<Saved> {
        let mut offload = self.offload.borrow_mut();
        let on_host = offload.as_mut()?;
        let large = on_host.what == HostCopies::Large;
        let stays = tensor.nbytes() < SMALLEST || tensor.category() == Category::Parameters;
        if large && stays {
            return None;
        }
        let shape = *tensor.shape();
        let copied = if large { apart(tensor) } else { shape };
        let bytes = copied.numel() * tensor.dtype().size();
        let layers = usize::try_from(self.multiplicity(self.scope())).unwrap_or(1);
        on_host.bytes.extend(std::iter::repeat_n(bytes, layers));
        // What does not lie in row-major order is copied on the device first.
        let compact = copied == shape && !tensor.is_contiguous();
        drop(compact.then(|| self.empty("copy_", shape, tensor.dtype())));
        Some(Saved::OnHost(Box::new(HostCopy {
            copied,
            shape,
            dtype: tensor.dtype(),
        })))
    }
}
