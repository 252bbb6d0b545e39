//! Tokens of one expert after the other: where a mask says so, taken out and added back.
//!
//! Source: `aten/src/ATen/native/cuda/{Nonzero.cu,Indexing.cu}`, torch 2.6.

use super::embedding::CUB_ALIGNMENT;
use crate::tape::graph::Grads;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use smallvec::{SmallVec, smallvec};

/// Bytes of a count.
const COUNT: u64 = 4;
/// Up to this many numbers `cub::DeviceReduce::Sum` adds in one tile (256 threads of 16 items).
const SUM_TILE: u64 = 4096;
/// Blocks of it that run on a multiprocessor (`CUB_SUBSCRIPTION_FACTOR` times the kernel's
/// occupancy, which the stubbed runtime says is 2).
const SUM_BLOCKS: u64 = 5 * 2;
/// Bytes of a tile's state in `cub::DeviceSelect::Flagged`, and how many flags of 8 bytes a tile has
/// (measured at the boundaries).
const FLAGGED_TILE: (u64, u64) = (8, 2304);

impl Tape {
    /// `torch.where(mask)` of a mask `[a, b]` in 8-byte numbers whose order is not that of the
    /// dimensions, which holds for `count` elements: their indices `[2, count]`.
    pub fn where_set(&self, mask: [u64; 2], count: u64) -> Tensor {
        const OP: &str = "nonzero";
        let n = mask[0] * mask[1];
        let _mask = self.empty(OP, Shape::from(mask), DType::Int64);
        let _count = self.scratch(OP, COUNT);
        drop(self.scratch(OP, self.sum_storage(n)));
        let found = self.empty(OP, Shape::from([2, count]), DType::Int64);
        drop(self.scratch(OP, self.scan_storage(n, FLAGGED_TILE)));
        found
    }

    /// Temporary storage of `cub::DeviceReduce::Sum` over `n` elements.
    fn sum_storage(&self, n: u64) -> u64 {
        if n <= SUM_TILE {
            return 1;
        }
        let blocks = self.backend().multiprocessors * SUM_BLOCKS;
        (blocks * COUNT).next_multiple_of(CUB_ALIGNMENT) + (CUB_ALIGNMENT - 1)
    }

    /// `x[rows, columns]` of `[N, K, ..]`, where `at` are rows and columns `[count]`: one element for
    /// each. Saves the indices; its gradient is added to zeros.
    pub fn index_elements(&self, x: &Tensor, at: &[Tensor; 2]) -> Tensor {
        let count = at[0].numel();
        let saved = self
            .records(&[x])
            .then(|| at.each_ref().map(|at| self.save(at)));
        let mut dims: SmallVec<[u64; 5]> = smallvec![count];
        dims.extend(x.shape().dims().iter().skip(2).copied());
        let out = self.empty("index", Shape::new(&dims), x.dtype());
        let Some(saved) = saved else { return out };
        let from = *x.shape();
        self.attach(
            &[x],
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let _at = saved.each_ref().map(|saved| saved.unpack(t));
                let grad = t.empty("new_zeros", from, g.dtype());
                t.index_put(g, count, 2, from.numel());
                smallvec![Some(grad)]
            }),
        )
    }

    /// `out.index_add_(0, rows, x)` of `[N, H]` and `[n, H]`: the result is in out's place. Saves the
    /// rows and x.
    pub fn index_add_in_place(&self, out: Tensor, rows: &Tensor, x: &Tensor) -> Tensor {
        if !self.records(&[&out, x]) {
            return out;
        }
        let need_out = out.requires_grad();
        let saved = (x.requires_grad()).then(|| [rows, x].map(|saved| self.save(saved)));
        let sum = out.detach();
        self.attach(
            &[&out, x],
            sum,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let of_x = saved.as_ref().map(|saved| {
                    let [_rows, x] = saved.each_ref().map(|saved| saved.unpack(t));
                    t.empty("index_select", *x.shape(), g.dtype())
                });
                smallvec![need_out.then(|| g.clone()), of_x]
            }),
        )
    }
}
