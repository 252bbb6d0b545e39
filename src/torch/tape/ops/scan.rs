//! Running sums.

use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// Bytes of a tile's state in `cub::DeviceScan::InclusiveSum`, and how many elements a tile has
/// (tuning for compute capability 8.0, measured at the boundaries): of 8-byte and of 4-byte numbers.
const SUM_TILE: [ScanTile; 2] = [ScanTile::new(16, 896), ScanTile::new(8, 1792)];

/// A tile of a CUB scan.
#[derive(Clone, Copy)]
pub(super) struct ScanTile {
    /// Bytes of its state.
    pub(super) state: u64,
    /// Elements that it has.
    pub(super) elements: u64,
}

impl ScanTile {
    pub(super) const fn new(state: u64, elements: u64) -> Self {
        Self { state, elements }
    }
}

impl Tape {
    /// `x.cumsum(-1)` of `[B, S]`, which needs no gradient. One row alone is scanned by CUB
    /// (`cumsum_cuda_kernel`, `aten/src/ATen/native/cuda/ScanKernels.cpp`, torch 2.15).
    pub fn cumsum(&self, shape: Shape, dtype: DType) -> Tensor {
        let out = self.empty("cumsum", shape, dtype);
        self.scan_alone(shape, dtype);
        out
    }

    /// CUB's memory for the sums of one row alone; nothing for more rows.
    pub fn scan_alone(&self, shape: Shape, dtype: DType) {
        if shape.numel() == shape.dim(-1) {
            let [wide, narrow] = SUM_TILE;
            let tile = if dtype.size() == 8 { wide } else { narrow };
            drop(self.scratch("cumsum", self.scan_storage(shape.numel(), tile)));
        }
    }

    /// CUB's memory for sums over `n` 8-byte numbers.
    pub(super) fn sums_storage(&self, n: u64) -> u64 {
        self.scan_storage(n, SUM_TILE[0])
    }

    /// `x.cumsum(dim)` of more than one row, computed from a copy in row-major order where x has
    /// another. Saves nothing; its gradient is summed from the end.
    pub fn running_sum(&self, x: &Tensor) -> Tensor {
        let x = &self.cast_up(x);
        let out = self.sums(x);
        self.with_nothing_saved(x, out, |t, g| {
            if g.numel() == 1 {
                return g.clone();
            }
            let flipped = t.like("flip", g);
            let sum = t.sums(&flipped);
            t.like("flip", &sum)
        })
    }

    fn sums(&self, x: &Tensor) -> Tensor {
        const OP: &str = "cumsum";
        let out = self.empty(OP, *x.shape(), x.dtype());
        drop((!x.is_contiguous()).then(|| self.empty(OP, *x.shape(), x.dtype())));
        out
    }
}
