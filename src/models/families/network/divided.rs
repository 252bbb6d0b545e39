//! Batches of sequences that are divided among ranks.

use super::batch::Batch;
use crate::ask::ContextParallelKind;
use crate::model::ResolvedSpec;
use crate::tape::{Category, Tape, Tensor};
use crate::units::{DType, Shape};

/// Samples of S tokens in all: as accelerate gives them to `context_parallel` (ring attention), which divides
/// them then; or this rank's part, as DeepSpeed's `UlyssesSPDataLoaderAdapter` does.
pub(super) fn batch(t: &Tape, spec: &ResolvedSpec, [samples, seq_len]: [u64; 2]) -> Batch {
    match spec.parallelism.cp.kind {
        ContextParallelKind::Ring => whole(t, [samples, seq_len]),
        ContextParallelKind::Ulysses => part(t, [samples, seq_len / spec.mesh.cp]),
    }
}

fn tokens(t: &Tape, shape: [u64; 2]) -> Tensor {
    t.allocate("zeros", Shape::from(shape), DType::Int64, Category::Inputs)
}

/// The positions of each sample.
fn positions(t: &Tape, [samples, tokens]: [u64; 2]) -> Tensor {
    let range = t.empty("arange", Shape::from([tokens]), DType::Int64);
    let positions = t.contiguous(&t.expand(&range, [samples, tokens]));
    positions.set_category(Category::Inputs);
    positions
}

fn whole(t: &Tape, shape: [u64; 2]) -> Batch {
    let ids = tokens(t, shape);
    let labels = tokens(t, shape);
    let (padded, shifted) = t.shifted_labels(&labels);
    drop(padded);
    shifted.set_category(Category::Inputs);
    Batch {
        labels: Some(labels),
        targets: Some(shifted),
        positions: Some(positions(t, shape)),
        ..Batch::of(ids)
    }
}

fn part(t: &Tape, shape: [u64; 2]) -> Batch {
    let ids = tokens(t, shape);
    let positions = positions(t, shape);
    Batch {
        positions: Some(positions),
        targets: Some(tokens(t, shape)),
        ..Batch::of(ids)
    }
}

/// Tensors that a context that divides a sequence holds until it is left: the last copy of a part, and the parts.
pub struct DividedBatch {
    parts: Vec<Tensor>,
    copy: Option<Tensor>,
}

impl DividedBatch {
    /// `context_parallel.__enter__` of `ranks` ranks over buffers `[B, S]`, whose parts stay in the memory of the whole
    /// ones (`torch/distributed/tensor/experimental/_context_parallel/_attention.py`, torch 2.15).
    pub fn of(t: &Tape, buffers: &[Shape], ranks: u64) -> Self {
        let part = |whole: &Shape| Shape::from([whole.dim(0), whole.dim(1) / ranks]);
        let copied = |op, shape| t.empty(op, shape, DType::Int64);
        let tokens = buffers.first().map_or(0, |first| first.dim(1));
        let indices = balancing_indices(t, tokens, ranks);
        let mut held = Self {
            parts: Vec::new(),
            copy: None,
        };
        for whole in buffers {
            let ordered = copied("gather", *whole);
            held.parts.push(copied("clone", part(whole)));
            drop(ordered);
        }
        drop(indices);
        for whole in buffers {
            held.copy = None;
            held.copy = Some(copied("clone", part(whole)));
        }
        held
    }
}

impl Drop for DividedBatch {
    fn drop(&mut self) {
        while self.parts.pop().is_some() {}
        self.copy.take();
    }
}

impl Batch {
    /// This rank's part of each sample in a context that divides sequences among `ranks` ranks.
    pub fn divided(&self, t: &Tape, ranks: u64) -> (Self, DividedBatch) {
        let whole = *self.input.shape();
        let part = Shape::from([whole.dim(0), whole.dim(1) / ranks]);
        // Token ids, labels, the same shifted, positions.
        let held = DividedBatch::of(t, &[whole; 4], ranks);
        let shrunk = |x: &Option<Tensor>| x.as_ref().map(|x| x.part(part));
        let batch = Self {
            labels: shrunk(&self.labels),
            targets: shrunk(&self.targets),
            positions: shrunk(&self.positions),
            ..Self::of(self.input.part(part))
        };
        (batch, held)
    }
}

/// `_HeadTailLoadBalancer._generate_indices` (`_load_balancer.py`): for each rank a piece from the head of S
/// tokens and one from the tail.
fn balancing_indices(t: &Tape, tokens: u64, ranks: u64) -> Tensor {
    let range = t.empty("arange", Shape::from([tokens]), DType::Int32);
    let head = t.empty("arange", Shape::from([ranks]), DType::Int64);
    let tail = t.empty("rsub", Shape::from([ranks]), DType::Int64);
    let pieces = || t.empty("index", Shape::from([tokens / 2]), DType::Int32);
    let (heads, tails) = (pieces(), pieces());
    let paired = t.empty("stack", Shape::from([tokens]), DType::Int32);
    drop(tails);
    drop(heads);
    drop((range, head, tail));
    paired
}
