//! Tensors that autograd saves and that wait on the host for backward.
//!
//! Source: `save_on_cpu` of `torch/autograd/graph.py`, torch 2.15, and `OffloadActivations` of
//! `trl/models/activation_offloading.py`, TRL 1.16.

use super::{Category, Tape, Tensor};
use crate::units::{DType, Shape, Stream};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

/// Bytes of the smallest tensor that TRL copies (`min_offload_size`).
const SMALLEST: u64 = 1024;

/// The tensors that go to the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostCopies {
    /// All that is saved (`save_on_cpu`).
    All,
    /// Tensors of at least `min_offload_size` bytes that are no parameters, except tensors that the head saves (TRL's
    /// `OffloadActivations`).
    Large,
    /// As `Large`, copied on a stream of its own. A tensor that is saved again before its copy is known to have arrived
    /// stays on the device.
    Streamed,
    /// As torchtune's `OffloadActivations` copies on such a stream: every saved tensor, whether or not its data was
    /// copied before (`training/_activation_offloading.py`, torchtune 0.6.1).
    StreamedEach,
}

impl HostCopies {
    /// Whether copies have a stream of their own.
    pub fn is_streamed(self) -> bool {
        matches!(self, Self::Streamed | Self::StreamedEach)
    }
}

/// The stream of copies to the host and back.
const COPIES: Stream = Stream::side(1);
/// How many saved tensors come until a copy is known to be there (`max_fwd_stash_size`).
const STASHED: u64 = 5;

/// The key that tells data apart.
type Key = (u32, u32, DType);

/// Saved tensors on their way to the host, and their bytes there.
pub(super) struct OnHost {
    what: HostCopies,
    bytes: Vec<u64>,
    /// How many tensors were saved.
    count: u64,
    /// Tensors that are being copied, by their numbers.
    stash: VecDeque<(u64, Key, Tensor)>,
    /// The last number of data that are being copied, or that stay.
    numbers: BTreeMap<Key, u64>,
}

impl OnHost {
    /// Counts one more; whether it stays because its data is being copied already.
    fn stays_beside_copy(&mut self, key: Key) -> bool {
        self.count += 1;
        let known = self.numbers.get_mut(&key);
        known.map(|number| *number = self.count).is_some()
    }

    /// Holds a tensor while it is copied, and drops the tensors whose copies have arrived.
    fn hold(&mut self, key: Key, tensor: Tensor) {
        let there = |entry: &&(u64, Key, Tensor)| entry.0 + STASHED <= self.count;
        let done = self.stash.iter().take_while(there).count();
        for (number, key, tensor) in self.stash.drain(..done) {
            drop(tensor);
            if self.numbers.get(&key) == Some(&number) {
                self.numbers.remove(&key);
            }
        }
        self.stash.push_back((self.count, key, tensor));
        self.numbers.insert(key, self.count);
    }
}

/// Tensors that have come back from the host on a stream of their own.
#[derive(Default)]
pub(super) struct Returned {
    /// The node that asked for the last ones.
    node: Option<u32>,
    held: Vec<Tensor>,
    /// How many of them other nodes have asked for.
    before: usize,
}

/// The host's part of a tape's state.
#[derive(Default)]
pub(super) struct State {
    /// The present way to the host, while there is one.
    offload: RefCell<Option<OnHost>>,
    /// Whether what re-entrant checkpoints save does.
    pub(super) checkpoints: Cell<bool>,
    /// Tensors that were being copied when the forward pass ended, by their numbers, until a node has asked for some.
    stashed: RefCell<Vec<(u64, Tensor)>>,
    /// Tensors that have come back, and the node that goes backward.
    returned: RefCell<Returned>,
    pub(super) running_node: Cell<u32>,
}

/// A tensor's copy on the host. It has one element along dimensions of stride 0, which are expanded when it comes back.
pub(super) struct HostCopy {
    copied: Shape,
    shape: Shape,
    dtype: DType,
    streamed: bool,
    number: u64,
}

impl HostCopy {
    /// The tensor on the device.
    pub(super) fn back(&self, t: &Tape) -> Tensor {
        if let Some(stashed) = t.stashed(self.number) {
            return stashed;
        }
        let make = || t.empty("_to_copy", self.copied, self.dtype);
        let copy = if self.streamed {
            let copy = t.on_stream(COPIES, make);
            t.hold_returned(&copy);
            copy
        } else {
            make()
        };
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
    /// Runs `f`, in which tensors saved for backward go to the host; they come back when they are needed. Also returns
    /// the bytes of each tensor on the host.
    pub fn save_on_host<R>(&self, what: HostCopies, f: impl FnOnce() -> R) -> (R, Vec<u64>) {
        let outer = self.on_host.offload.borrow_mut().replace(OnHost {
            what,
            bytes: Vec::new(),
            count: 0,
            stash: VecDeque::new(),
            numbers: BTreeMap::new(),
        });
        let result = f();
        let on_host = self.on_host.offload.replace(outer);
        let Some(on_host) = on_host else {
            return (result, Vec::new());
        };
        if what == HostCopies::StreamedEach {
            let stash = on_host.stash.into_iter();
            let stashed = stash.map(|(number, _, tensor)| (number, tensor));
            self.on_host.stashed.replace(stashed.collect());
        }
        (result, on_host.bytes)
    }

    /// The tensor of this number, if it was being copied when the forward pass ended and is still there.
    fn stashed(&self, number: u64) -> Option<Tensor> {
        let stashed = self.on_host.stashed.borrow();
        let (_, tensor) = stashed.iter().find(|(own, _)| *own == number)?;
        self.node_asks();
        Some(tensor.clone())
    }

    /// The node that runs asks for a tensor that has gone to the host.
    fn node_asks(&self) {
        let node = Some(self.on_host.running_node.get());
        let mut returned = self.on_host.returned.borrow_mut();
        if returned.node.is_none() {
            self.when_backward_ends(Rc::new(|t: &Self| drop(t.on_host.returned.take())));
        }
        if returned.node != node {
            returned.node = node;
            returned.before = returned.held.len();
        }
    }

    /// Holds a tensor that has come back until the next node that asked for some has run, or the backward pass has
    /// ended.
    fn hold_returned(&self, copy: &Tensor) {
        self.node_asks();
        let mut returned = self.on_host.returned.borrow_mut();
        returned.held.push(copy.detach());
    }

    /// A node has run: drops the tensors that came back for nodes before it.
    pub(super) fn node_has_run(&self, node: u32) {
        let mut returned = self.on_host.returned.borrow_mut();
        if returned.node == Some(node) {
            let before = std::mem::take(&mut returned.before);
            returned.held.drain(..before);
            self.on_host.stashed.take();
        }
    }

    /// Sets whether inputs that re-entrant checkpoints save go to the host from here on.
    pub fn keep_inputs_on_host(&self, kept: bool) {
        self.on_host.checkpoints.set(kept);
    }

    /// Runs a head, whose saved tensors TRL keeps on the device.
    pub fn around_head<R>(&self, run: impl FnOnce() -> R) -> R {
        let keeps = |on_host: &mut OnHost| on_host.what != HostCopies::All;
        let outer = self.on_host.offload.borrow_mut().take_if(keeps);
        let result = run();
        if outer.is_some() {
            self.on_host.offload.replace(outer);
        }
        result
    }

    /// Keeps a tensor on the host, if it goes there.
    pub(super) fn saved_on_host(&self, tensor: &Tensor) -> Option<HostCopy> {
        let mut offload = self.on_host.offload.borrow_mut();
        let on_host = offload.as_mut()?;
        let large = on_host.what != HostCopies::All;
        let streamed = on_host.what.is_streamed();
        let key = (tensor.storage_id(), tensor.offset(), tensor.dtype());
        if streamed && on_host.stays_beside_copy(key) && on_host.what == HostCopies::Streamed {
            return None;
        }
        let stays = tensor.nbytes() < SMALLEST || tensor.category() == Category::Parameters;
        if large && stays {
            return None;
        }
        let shape = *tensor.shape();
        let copied = if large { apart(tensor) } else { shape };
        let bytes = copied.numel() * tensor.dtype().size();
        let layers = usize::try_from(self.multiplicity(self.scope())).unwrap_or(1);
        on_host.bytes.extend(std::iter::repeat_n(bytes, layers));
        // A tensor that is not row-major is copied on the device first, by TRL also one that does not begin its
        // storage.
        let inside = large && tensor.offset() != 0;
        let compact = copied == shape && (inside || !tensor.is_contiguous());
        let copy = compact.then(|| self.empty("copy_", shape, tensor.dtype()));
        if streamed {
            on_host.hold(key, copy.unwrap_or_else(|| tensor.detach()));
        } else {
            drop(copy);
        }
        Some(HostCopy {
            copied,
            shape,
            dtype: tensor.dtype(),
            streamed,
            number: on_host.count,
        })
    }
}
