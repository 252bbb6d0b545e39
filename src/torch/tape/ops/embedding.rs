//! Table look-ups.

use super::scan::ScanTile;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use smallvec::smallvec;

/// Up to this many indices the gradient is scattered without sorting them
/// (`embedding_dense_backward_cuda`, `aten/src/ATen/native/cuda/Embedding.cu`, torch 2.15).
const UNSORTED_INDICES: u64 = 3072;
/// `NROWS_PER_THREAD` of `EmbeddingBackwardKernel.cu`.
const ROWS_PER_THREAD: u64 = 10;
/// Bytes of an index.
const INDEX: u64 = 8;
/// CUB aligns each part of its temporary storage to this many bytes.
pub(super) const CUB_ALIGNMENT: u64 = 256;
/// Pairs of 8-byte keys and values that a block of CUB's one-sweep radix sort takes (tuning for
/// compute capability 8.0 and later).
const SORT_TILE: u64 = 3840;
/// Up to this many pairs one block sorts all of them, without storage (measured).
const SINGLE_TILE: u64 = 2304;
/// Values of a digit of the radix sort.
const RADIX: u64 = 256;
/// States of tiles that a CUB scan pads its own with.
const SCAN_PADDING: u64 = 32;
/// Bytes of a tile's state in `cub::DeviceScan::ExclusiveSum` of 8-byte numbers, and how many of
/// them a tile has (tuning for compute capability 8.0, measured at the boundaries).
const SCAN_TILE: ScanTile = ScanTile::new(16, 896);
/// The tile of `cub::DeviceSelect::UniqueByKey`, CUDA 13 (torch 2.15).
const UNIQUE_TILE: ScanTile = ScanTile::new(16, 1344);
/// The same, CUDA 12.4 (torch 2.6).
const UNIQUE_TILE_CUDA_12: ScanTile = ScanTile::new(8, 1792);
/// Measured with torch 2.15: a table of up to this many rows (at least 384, fewer than 500) is
/// summed with atomic additions if each row has this many pieces.
const ATOMIC_SUMS: (u64, u64) = (384, 4);

impl Tape {
    /// `torch.nn.functional.embedding(indices, weight)`: `[..]` and `[V, H]` to `[.., H]`. Saves
    /// the indices; its gradient is as large as the table.
    pub fn embedding(&self, weight: &Tensor, indices: &Tensor) -> Tensor {
        let mut dims: smallvec::SmallVec<[u64; 5]> = indices.shape().dims().into();
        dims.push(weight.dim(1));
        let shape = Shape::new(&dims);
        if !self.records(&[weight]) {
            let _rows = self.reshape(indices, [indices.numel()]);
            return self.empty("embedding", shape, weight.dtype());
        }
        let saved = self.save(indices);
        let rows = self.reshape(indices, [indices.numel()]);
        let out = self.empty("embedding", shape, weight.dtype());
        drop(rows);
        let table = *weight.shape();
        self.attach(
            &[weight],
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return smallvec![] };
                let indices = saved.unpack(t);
                smallvec![Some(t.embedding_dense_backward(g, &indices, table))]
            }),
        )
    }

    /// `embedding_dense_backward`: many indices are sorted, cut into segments and summed piece by
    /// piece in float32.
    pub(super) fn embedding_dense_backward(
        &self,
        g: &Tensor,
        indices: &Tensor,
        table: Shape,
    ) -> Tensor {
        const OP: &str = "embedding_dense_backward";
        let g = &self.contiguous(g);
        let indices = self.contiguous(indices);
        let n = indices.numel();
        if n <= UNSORTED_INDICES {
            return self.empty(OP, table, g.dtype());
        }
        let recent = self.backend().sorts_by_needed_bits;
        let (rows, width) = (table.dim(0), table.dim(1));
        let sorted = [self.scratch(OP, n * INDEX), self.scratch(OP, n * INDEX)];
        {
            let _range = self.scratch(OP, n * INDEX);
            let _sort = self.scratch(OP, sort_storage(n, self.sorted_bits(rows)));
        }
        let grad = self.empty(OP, table, g.dtype());
        let segments = n.min(rows);
        let offsets = self.scratch(OP, n * INDEX);
        let count = self.scratch(OP, INDEX);
        {
            let tile = if recent {
                UNIQUE_TILE
            } else {
                UNIQUE_TILE_CUDA_12
            };
            let _unique = self.scratch(OP, n * INDEX);
            let _storage = self.scratch(OP, self.scan_storage(n, tile));
        }
        let partials = [
            self.scratch(OP, segments * INDEX),
            self.scratch(OP, segments * INDEX),
        ];
        drop(self.scratch(OP, self.scan_storage(segments, SCAN_TILE)));
        let partial_count = self.scratch(OP, INDEX);
        let pieces = n / ROWS_PER_THREAD + segments;
        let piece_offsets = self.scratch(OP, pieces * INDEX);
        let atomic = recent && rows <= ATOMIC_SUMS.0 && pieces >= ATOMIC_SUMS.1 * rows;
        let sums = if atomic {
            let owners = self.scratch(OP, pieces * INDEX);
            let wide = g.dtype().is_half();
            let table = table.numel() * DType::Float32.size();
            (owners, wide.then(|| self.scratch(OP, table)))
        } else {
            let sums = pieces * width * DType::Float32.size();
            (self.scratch(OP, sums), None)
        };
        drop((
            sums,
            piece_offsets,
            partial_count,
            partials,
            count,
            offsets,
            sorted,
        ));
        grad
    }

    /// The bits by which indices of a table of `rows` rows are sorted.
    fn sorted_bits(&self, rows: u64) -> u32 {
        if self.backend().sorts_by_needed_bits {
            u64::BITS - rows.leading_zeros()
        } else {
            u64::BITS
        }
    }

    /// Temporary storage of a CUB scan over `n` elements, in tiles.
    pub(super) fn scan_storage(&self, n: u64, tile: ScanTile) -> u64 {
        let states = SCAN_PADDING + n.div_ceil(tile.elements);
        let first = if self.backend().sorts_by_needed_bits {
            CUB_ALIGNMENT
        } else {
            0
        };
        first + (states * tile.state).next_multiple_of(CUB_ALIGNMENT) + (CUB_ALIGNMENT - 1)
    }
}

/// Pairs of a tile of the sort that has keys in float32; measured.
const FLOAT_SORT_TILE: u64 = 3072;

/// Temporary storage of `segmented_sort_pairs` and its like for `n` pairs of a key in float32 and a value
/// (`Sort.cu`), beside which the result lies already.
pub(super) fn pairs_storage(n: u64, dtypes: [DType; 2]) -> u64 {
    if n <= SINGLE_TILE {
        return 1;
    }
    let passes = dtypes[0].size();
    let buffers: u64 = dtypes
        .iter()
        .map(|dtype| (n * dtype.size()).next_multiple_of(CUB_ALIGNMENT))
        .sum();
    let lookback = n.div_ceil(FLOAT_SORT_TILE) * RADIX * 4;
    buffers + passes * RADIX * INDEX + lookback + CUB_ALIGNMENT + (CUB_ALIGNMENT - 1)
}

/// Temporary storage of `cub::DeviceRadixSort::SortPairs` for `n` pairs with keys of so many
/// bits.
pub(super) fn sort_storage(n: u64, bits: u32) -> u64 {
    if n <= SINGLE_TILE {
        return 1;
    }
    let passes = u64::from(bits.div_ceil(8));
    // A single pass goes from the input to the output at once.
    let buffers = if passes > 1 {
        2 * (n * INDEX).next_multiple_of(CUB_ALIGNMENT)
    } else {
        0
    };
    let bins = passes * RADIX * INDEX;
    let lookback = n.div_ceil(SORT_TILE) * RADIX * 4;
    buffers + bins + lookback + CUB_ALIGNMENT + (CUB_ALIGNMENT - 1)
}
