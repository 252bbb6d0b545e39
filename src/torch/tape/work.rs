//! The operations that a program computes and the bytes that it sends, counted by the shapes of its operations.
//!
//! Floating-point operations are counted for matrix products, convolutions and attention kernels, two for each
//! number that is multiplied and added, as `torch.utils.flop_counter` counts them (torch 2.15): masks and windows
//! save none. Element-wise operations, norms and scans do not count.
//!
//! Bytes are the bytes that a rank sends in a ring of W ranks: of an all-gather or a reduce-scatter (W - 1) / W of the
//! whole, of an all-reduce twice that, of an all-to-all (W - 1) / W of the rank's own bytes (`doc/PERFORMANCE.md` of
//! nccl-tests, commit 03a204a).

use super::Tape;
use crate::units::{DType, names};
use std::cell::Cell;

names! {
    /// The passes that compute.
    Pass {
        /// The forward pass.
        Forward = "forward",
        /// The backward pass.
        Backward = "backward",
        /// Operations that are computed again in the backward pass.
        Recompute = "recompute",
    }
}

names! {
    /// How ranks exchange tensors.
    Collective {
        /// Each rank gets the parts of all.
        AllGather = "all_gather",
        /// Each rank gets a part of the sum.
        ReduceScatter = "reduce_scatter",
        /// Each rank gets the sum.
        AllReduce = "all_reduce",
        /// Each rank gets a part from every other.
        AllToAll = "all_to_all",
        /// One rank sends to one other.
        Send = "send",
    }
}

const PASSES: usize = Pass::ALL.len();

/// Floating-point operations by pass, and bytes sent by collective.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work([u64; PASSES + Collective::ALL.len()]);

impl Work {
    /// Floating-point operations of a pass.
    pub fn computed(&self, pass: Pass) -> u64 {
        self.0[pass as usize]
    }

    /// Bytes that a rank sends in collectives of one kind.
    pub fn sent(&self, collective: Collective) -> u64 {
        self.0[PASSES + collective as usize]
    }

    /// The work since `before`.
    #[must_use]
    pub fn since(self, before: Self) -> Self {
        self.with(before, u64::saturating_sub)
    }

    /// This and `more`, `times` times.
    #[must_use]
    pub fn plus(self, more: Self, times: u64) -> Self {
        self.with(more, |own, more| {
            own.saturating_add(more.saturating_mul(times))
        })
    }

    /// The work without its operations: only the bytes sent.
    #[must_use]
    pub fn only_sent(mut self) -> Self {
        self.0[..PASSES].fill(0);
        self
    }

    fn with(mut self, other: Self, combine: impl Fn(u64, u64) -> u64) -> Self {
        for (own, other) in self.0.iter_mut().zip(other.0) {
            *own = combine(*own, other);
        }
        self
    }
}

/// Bytes that a rank sends.
impl FromIterator<(Collective, u64)> for Work {
    fn from_iter<I: IntoIterator<Item = (Collective, u64)>>(sent: I) -> Self {
        let mut work = Self::default();
        for (collective, bytes) in sent {
            work.0[PASSES + collective as usize] += bytes;
        }
        work
    }
}

/// The work that a tape has counted.
#[derive(Debug, Default)]
pub(super) struct Counted {
    work: Cell<Work>,
    /// Whether the running operations are a recomputation.
    recomputes: Cell<bool>,
    /// Among how many ranks tensors are divided; 0 where nobody has said it.
    tensor_ranks: Cell<u64>,
}

/// The share of `bytes` that one of `ranks` sends.
fn share(bytes: u64, ranks: u64) -> u64 {
    let share = u128::from(bytes) * u128::from(ranks.saturating_sub(1)) / u128::from(ranks.max(1));
    u64::try_from(share).unwrap_or(u64::MAX)
}

impl Tape {
    /// The work so far, where lists are folded for all their modules.
    pub fn work(&self) -> Work {
        self.recorder.counted.work.get()
    }

    fn add_work(&self, place: usize, amount: u64) {
        if self.recorder.is_muted() || amount == 0 {
            return;
        }
        let mut work = self.recorder.counted.work.get();
        let modules = self.multiplicity(self.scope());
        work.0[place] = work.0[place].saturating_add(amount.saturating_mul(modules));
        self.recorder.counted.work.set(work);
    }

    /// Adds work that was `done` already, `times` times more.
    pub(super) fn repeat_work(&self, done: Work, times: u64) {
        self.recorder
            .counted
            .work
            .set(self.recorder.counted.work.get().plus(done, times));
    }

    /// Products that are summed, of such sizes, in the pass that runs.
    pub(super) fn computes(&self, sizes: &[u64]) {
        let pass = match (
            self.recorder.counted.recomputes.get(),
            self.in_backward.get(),
        ) {
            (true, _) => Pass::Recompute,
            (false, true) => Pass::Backward,
            (false, false) => Pass::Forward,
        };
        self.computes_in(pass, sizes);
    }

    fn computes_in(&self, pass: Pass, sizes: &[u64]) {
        let products = sizes
            .iter()
            .fold(2, |all: u64, &size| all.saturating_mul(size));
        self.add_work(pass as usize, products);
    }

    /// Attention of `heads` heads over queries, keys, and columns of those and of values.
    pub(super) fn attends(&self, [heads, queries, keys]: [u64; 3], columns: [u64; 2]) {
        self.computes(&[heads, queries, keys, columns[0] + columns[1]]);
    }

    /// Its gradient by a kernel that computes the scores again (`sdpa_backward_flop_count`,
    /// `torch/utils/flop_counter.py`, torch 2.15).
    pub(super) fn attends_backward(&self, [heads, queries, keys]: [u64; 3], columns: [u64; 2]) {
        self.computes_in(Pass::Recompute, &[heads, queries, keys, columns[0]]);
        self.computes(&[heads, queries, keys, 2 * (columns[0] + columns[1])]);
    }

    /// Runs `run`, whose operations count as recomputation if `again`.
    pub(super) fn recomputing<R>(&self, again: bool, run: impl FnOnce() -> R) -> R {
        let outer = self.recorder.counted.recomputes.replace(again);
        let result = run();
        self.recorder.counted.recomputes.set(outer);
        result
    }

    /// This rank sends `bytes` bytes to another.
    pub fn sends(&self, bytes: u64) {
        self.add_work(PASSES + Collective::Send as usize, bytes);
    }

    /// This rank takes part in a collective of `ranks` ranks, over `bytes` bytes: the bytes of the whole tensor that is
    /// gathered or scattered, of the tensor that is summed, or of the rank's input to an all-to-all.
    pub fn communicates(&self, collective: Collective, bytes: u64, ranks: u64) {
        let sent = match collective {
            Collective::AllReduce => share(bytes.saturating_mul(2), ranks),
            _ => share(bytes, ranks),
        };
        self.add_work(PASSES + collective as usize, sent);
    }

    /// A collective over `elements` elements.
    pub fn communicates_elements(
        &self,
        collective: Collective,
        (elements, dtype): (u64, DType),
        ranks: u64,
    ) {
        self.communicates(collective, elements.saturating_mul(dtype.size()), ranks);
    }

    /// Among how many ranks tensors are divided.
    pub fn tensor_ranks(&self) -> u64 {
        self.recorder.counted.tensor_ranks.get().max(1)
    }

    /// Sets among how many ranks tensors are divided.
    pub fn divides_among(&self, ranks: u64) {
        self.recorder.counted.tensor_ranks.set(ranks);
    }
}
