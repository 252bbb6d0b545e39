//! The largest elements of rows, and drawing from rows.
//!
//! Source: `aten/src/ATen/native/cuda/TensorTopK.cu` (`mbtopk::launch`) and
//! `aten/src/ATen/native/Distributions.cpp` (`multinomial_out`), torch 2.15 and 2.6.

use crate::tape::recorder::Storage;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// Threads of a block.
const THREADS: u64 = 256;
/// `MIN_ITEMS_PER_THREAD` and `MAX_ITEMS_PER_THREAD`.
const ITEMS_PER_THREAD: (u64, u64) = (4, 64);
/// Blocks that a multiprocessor runs at once: its 65,536 registers by 40 for each thread.
const BLOCKS_PER_MULTIPROCESSOR: u64 = 6;
/// Values of a digit of the radix search.
const RADIX: u64 = 256;
/// Bytes that CUB's scan by key takes for few blocks; measured.
const SCAN: u64 = 1_279;
/// Rows with fewer elements are searched by one block each (`should_use_multiblock`, of the few
/// rows that a batch has).
const MULTIBLOCK: u64 = 20_000;

impl Tape {
    /// `torch.topk(x, k)` over the last dimension of `[.., n]`: values and indices `[.., k]`.
    pub fn topk(&self, x: &Tensor, k: u64) -> (Tensor, Tensor) {
        const OP: &str = "topk";
        let mut shape = *x.shape();
        let last = shape.rank() - 1;
        let row = shape.dims()[last];
        shape.dims_mut()[last] = k.min(row);
        let out = (
            self.empty(OP, shape, x.dtype()),
            self.empty(OP, shape, DType::Int64),
        );
        if row < MULTIBLOCK {
            return out;
        }
        let rows = x.numel() / row;
        let at_once = self.backend().multiprocessors * BLOCKS_PER_MULTIPROCESSOR * THREADS;
        // A tape that records nothing has no processors.
        let items = x.numel().div_ceil(at_once.max(1));
        let items = items.clamp(ITEMS_PER_THREAD.0, ITEMS_PER_THREAD.1);
        let blocks = rows * row.div_ceil(items * THREADS);
        let digits = 2 * RADIX * blocks;
        let beside = if self.backend().sampling_is_recent {
            [8 * rows, 8 * rows, digits, 4 * RADIX * rows]
        } else {
            [4 * rows, 4 * rows, 4 * rows, digits]
        };
        let parts = [4 * rows].into_iter().chain(beside).chain([4 * blocks; 2]);
        let _held: Vec<Storage> = parts.map(|n| self.scratch(OP, n)).collect();
        drop(self.scratch(OP, SCAN));
        drop(self.scratch(OP, SCAN));
        out
    }

    /// `torch.multinomial(probabilities, 1)` of rows `[B, n]`: indices `[B, 1]`.
    pub fn multinomial(&self, probabilities: &Tensor) -> Tensor {
        const OP: &str = "multinomial";
        let rows = probabilities.dim(0);
        let flags = |n| self.empty(OP, Shape::from([n]), DType::Bool);
        let out = self.empty(OP, Shape::from([rows, 1]), DType::Int64);
        let extremes = self.extremes(OP, probabilities);
        let valid = {
            let _compared = [flags(1), flags(1)];
            flags(1)
        };
        let extremes = Some(extremes).filter(|_| self.backend().sampling_is_recent);
        let empty_row = {
            let sums = self.reduce(OP, probabilities, Shape::from([rows, 1]), DType::Float32);
            let zero = flags(rows);
            let any = flags(1);
            drop((zero, sums));
            any
        };
        drop(flags(1));
        {
            let noise = self.like(OP, probabilities);
            self.argmax_into(&noise);
        }
        drop((empty_row, valid, extremes));
        out
    }
}
