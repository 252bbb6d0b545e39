//! Tokens of one expert after the other: where a mask says so, taken out and added back.
//!
//! Source: `aten/src/ATen/native/cuda/{Nonzero.cu,Indexing.cu}`, torch 2.6.

use super::embedding::CUB_ALIGNMENT;
use super::scan::ScanTile;
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
const FLAGGED_TILE: ScanTile = ScanTile::new(8, 2304);

impl Tape {
    /// `torch.where(mask)` of a mask `[a, b]` in 8-byte numbers whose order is not that of the
    /// dimensions, which holds for `count` elements: their indices `[2, count]`.
    pub fn where_set(&self, mask: [u64; 2], count: u64) -> Tensor {
        self.found(DType::Int64, mask[0] * mask[1], Shape::from([2, count]))
    }

    /// The indices that `nonzero` finds in a mask of n elements that is copied first.
    fn found(&self, dtype: DType, n: u64, indices: Shape) -> Tensor {
        let _mask = self.empty("nonzero", Shape::from([n]), dtype);
        self.nonzero(n, indices)
    }

    /// The indices that `nonzero` finds in a mask of n elements.
    pub fn nonzero(&self, n: u64, indices: Shape) -> Tensor {
        const OP: &str = "nonzero";
        let _count = self.scratch(OP, COUNT);
        drop(self.scratch(OP, self.sum_storage(n)));
        self.synchronize_stream(); // the host reads how many there are
        let found = self.empty(OP, indices, DType::Int64);
        drop(self.scratch(OP, self.scan_storage(n, FLAGGED_TILE)));
        found
    }

    /// `x.masked_scatter(mask, source)`: in a copy of x `[B, S, H]` the rows `[n, H]` of `source` are put
    /// where the mask `[B, S, 1]` holds, which it does for n rows. Saves the mask
    /// (`aten/src/ATen/native/cuda/IndexKernel.cpp`, torch 2.15).
    pub fn masked_scatter(&self, x: &Tensor, mask: &Tensor, source: &Tensor) -> Tensor {
        const OP: &str = "masked_scatter";
        let saved = self.records(&[x, source]).then(|| self.save(mask));
        let out = self.empty(OP, *x.shape(), x.dtype());
        {
            let places = self.empty(OP, *x.shape(), DType::Int64);
            let whole = self.empty(OP, *x.shape(), DType::Bool);
            drop(self.scratch(OP, self.sums_storage(x.numel())));
            drop((whole, places));
        }
        let Some(saved) = saved else { return out };
        let (needs, from) = ([x, source].map(Tensor::requires_grad), *source.shape());
        self.attach(
            &[x, source],
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let mask = saved.unpack(t);
                let [of_x, of_source] = needs;
                let of_x = of_x.then(|| t.like("masked_fill", g));
                let of_source = of_source.then(|| {
                    let count = from.numel();
                    let indices = Shape::from([count, g.shape().rank() as u64]);
                    let found = t.found(DType::Bool, g.numel(), indices);
                    let rows = t.empty("masked_select", from, g.dtype());
                    drop(found);
                    rows
                });
                drop(mask);
                smallvec![of_x, of_source]
            }),
        )
    }

    /// `x[mask] = row` in place, where the mask of n elements holds for `count` rows of `x [.., H]`: the
    /// result is in x's place. Saves the mask (`index_put_`,
    /// `aten/src/ATen/native/TensorAdvancedIndexing.cpp`, torch 2.15).
    pub fn put_row_where(&self, x: Tensor, mask: &Tensor, row: &Tensor, count: u64) -> Tensor {
        let indices = Shape::from([count, mask.shape().rank() as u64]);
        let n = mask.numel();
        drop(self.nonzero(n, indices));
        if !self.records(&[&x, row]) {
            return x;
        }
        let saved = self.save(mask);
        let needs = [x.requires_grad(), row.requires_grad()];
        let (out, shape) = (x.detach(), *row.shape());
        self.attach(
            &[&x, row],
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let _mask = saved.unpack(t);
                let of_x = (needs[0] && t.asks(0)).then(|| {
                    let _zero = t.empty("zeros", shape, g.dtype());
                    let rest = t.like("index_put", g);
                    drop(t.nonzero(n, indices));
                    rest
                });
                let of_row = (needs[1] && t.asks(1)).then(|| {
                    let rows = {
                        let _found = t.nonzero(n, indices);
                        t.empty("index", Shape::from([count, shape.dim(0)]), g.dtype())
                    };
                    t.sum_to_size(&rows, &shape)
                });
                smallvec![of_x, of_row]
            }),
        )
    }

    /// `x[mask] = number` in place: the result is in x's place. Saves the mask (`masked_fill_`).
    pub fn fill_where(&self, x: Tensor, mask: &Tensor) -> Tensor {
        self.written_where(x, mask, "masked_fill")
    }

    /// A number written in place where a mask is set, whose gradient `op` makes. Saves the mask.
    pub(super) fn written_where(&self, x: Tensor, mask: &Tensor, op: &'static str) -> Tensor {
        if !self.records(&[&x]) {
            return x;
        }
        let saved = self.save(mask);
        let out = x.detach();
        self.attach(
            &[&x],
            out,
            Box::new(move |t, g| {
                let _mask = saved.unpack(t);
                smallvec![g[0].as_ref().map(|g| t.like(op, g))]
            }),
        )
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
        let sum = self.index_added(&out, rows, x, || out.detach());
        drop(out);
        sum
    }

    /// `base.index_add(0, rows, x)`: the result is a new tensor. Saves the rows and x.
    pub fn index_add(&self, base: &Tensor, rows: &Tensor, x: &Tensor) -> Tensor {
        self.index_added(base, rows, x, || {
            self.empty("index_add", *base.shape(), base.dtype())
        })
    }

    /// Attaches the gradient of an `index_add` to the result of `sum`, which runs once everything is saved.
    fn index_added(
        &self,
        base: &Tensor,
        rows: &Tensor,
        x: &Tensor,
        sum: impl FnOnce() -> Tensor,
    ) -> Tensor {
        if !self.records(&[base, x]) {
            return sum();
        }
        let need_out = base.requires_grad();
        let saved = (x.requires_grad()).then(|| [rows, x].map(|saved| self.save(saved)));
        let sum = sum();
        self.attach(
            &[base, x],
            sum,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let of_x = saved.as_ref().filter(|_| t.asks(1)).map(|saved| {
                    let [_rows, x] = saved.each_ref().map(|saved| saved.unpack(t));
                    t.empty("index_select", *x.shape(), g.dtype())
                });
                smallvec![need_out.then(|| g.clone()), of_x]
            }),
        )
    }
}
