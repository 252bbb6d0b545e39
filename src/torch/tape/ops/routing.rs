//! Sending tokens to experts: the largest scores, sorting, gathering rows, grouped products.

use super::embedding::sort_storage;
use super::pointwise::promote;
use super::scan::ScanTile;
use crate::tape::checkpoint::Saved;
use crate::tape::graph::Grads;
use crate::tape::{Tape, Tensor, layout};
use crate::units::{DType, Shape};
use smallvec::{SmallVec, smallvec};

/// Numbers that one block sorts in place (`should_use_small_sort`,
/// `aten/src/ATen/native/cuda/Sort.cpp`, torch 2.15).
const SMALL_SORT: u64 = 4096;
/// Bits of a key of 8 bytes.
const KEY_BITS: u32 = 64;
/// Bytes of a tile's state in a CUB scan of 4-byte numbers, and how many of them a tile has.
const NARROW_SCAN_TILE: ScanTile = ScanTile::new(8, 1792);
/// Bytes of an index.
const INDEX: u64 = 8;

impl Tape {
    /// `torch.topk(x, k)` over the last dimension in the graph: values and indices `[.., k]`. Saves
    /// the indices; the gradient is scattered into zeros (`value_selecting_reduction_backward`).
    pub fn chosen(&self, x: &Tensor, k: u64) -> (Tensor, Tensor) {
        let from = *x.shape();
        let (values, indices) = self.topk(x, k);
        if !self.records(&[x]) {
            return (values, indices);
        }
        let saved = self.save(&indices);
        let values = self.attach(
            &[x],
            values,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let _indices = saved.unpack(t);
                smallvec![Some(t.empty("scatter", from, g.dtype()))]
            }),
        );
        (values, indices)
    }

    /// `x.max(dim=-1).values` of `[.., n]`. Saves the indices of the largest.
    pub fn max_last(&self, x: &Tensor) -> Tensor {
        let shape = Shape::new(&x.shape().dims()[..x.shape().rank() - 1]);
        self.largest(x, shape).0
    }

    /// `x.max(dim=-1, keepdim=True)` of `[.., n]`: values and indices `[.., 1]`. Saves the indices.
    pub fn max_of_rows(&self, x: &Tensor) -> (Tensor, Tensor) {
        let mut shape = *x.shape();
        let last = shape.rank() - 1;
        shape.dims_mut()[last] = 1;
        self.largest(x, shape)
    }

    /// The largest of each row of x and where it is, both in `shape`.
    fn largest(&self, x: &Tensor, shape: Shape) -> (Tensor, Tensor) {
        let from = *x.shape();
        let values = self.empty("max", shape, x.dtype());
        let indices = self.empty("max", shape, DType::Int64);
        if !self.records(&[x]) {
            return (values, indices);
        }
        let saved = self.save(&indices);
        let values = self.attach(
            &[x],
            values,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let _indices = saved.unpack(t);
                smallvec![Some(t.empty("scatter", from, g.dtype()))]
            }),
        );
        (values, indices)
    }

    /// `x /= divisor` for a divisor with one column `[.., 1]`. Saves the divisor and a copy of x before the division.
    pub fn div_in_place(&self, x: Tensor, divisor: &Tensor) -> Tensor {
        if !self.records(&[&x, divisor]) {
            return x;
        }
        let before = self.empty("clone", *x.shape(), x.dtype());
        let saved = [self.save(&before), self.save(divisor)];
        drop(before);
        self.divided([&x, divisor], x.detach(), saved)
    }

    /// `x / divisor` for a divisor with one column `[.., 1]`. Saves both.
    pub fn div(&self, x: &Tensor, divisor: &Tensor) -> Tensor {
        let given = [x, divisor];
        let saved = self
            .records(&given)
            .then(|| given.map(|given| self.save(given)));
        let out = self.elementwise("div", &given, promote(x, divisor));
        match saved {
            Some(saved) => self.divided(given, out, saved),
            None => out,
        }
    }

    /// Puts the result of a division into the graph.
    fn divided(&self, given: [&Tensor; 2], out: Tensor, saved: [Saved; 2]) -> Tensor {
        self.attach(
            &given,
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let [x, divisor] = saved.each_ref().map(|s| s.unpack(t));
                let grad_divisor = {
                    let quotient = t.elementwise("div", &[&x, &divisor], promote(&x, &divisor));
                    let twice = t.like("div", &quotient);
                    let negative = t.like("neg", g);
                    t.elementwise("mul", &[&negative, &twice], twice.dtype())
                };
                let grad_x = t.elementwise("div", &[g, &divisor], promote(g, &divisor));
                smallvec![Some(grad_x), Some(grad_divisor)]
            }),
        )
    }

    /// `x.sum(dim, keepdim)`, under autocast to float32. Saves nothing; the gradient is expanded.
    pub fn sum_dim(&self, x: &Tensor, dim: usize, keepdim: bool) -> Tensor {
        let wide = self.autocast_dtype().is_some();
        let dtype = if wide { DType::Float32 } else { x.dtype() };
        let from = *x.shape();
        let mut kept = from;
        kept.dims_mut()[dim] = 1;
        let out = self.reduce("sum", x, kept, dtype);
        let out = if keepdim {
            out
        } else {
            let mut dims: SmallVec<[u64; 5]> = kept.dims().into();
            dims.remove(dim);
            let shape = Shape::new(&dims);
            out.detach_as(shape, layout::contiguous(&shape))
        };
        self.with_nothing_saved(x, out, move |t, g| {
            let g = if keepdim {
                g.clone()
            } else {
                t.unsqueeze(g, dim)
            };
            t.expand(&g, from)
        })
    }

    /// `torch.sort(x)` of whole numbers `[n]`: the sorted numbers and where each was.
    pub fn sort(&self, x: &Tensor) -> (Tensor, Tensor) {
        const OP: &str = "sort";
        let n = x.numel();
        let sorted = self.empty(OP, *x.shape(), x.dtype());
        let order = self.empty(OP, *x.shape(), DType::Int64);
        let range = self.scratch(OP, n * INDEX);
        if n > SMALL_SORT {
            drop(self.scratch(OP, sort_storage(n, KEY_BITS)));
        }
        drop(range);
        (sorted, order)
    }

    /// How many of the sorted numbers `[n]` there are of each of `bins` values: their copies as
    /// 4-byte numbers, the counts and the running sums of these (`torch.histc`, `torch.cumsum`).
    pub fn group_offsets(&self, sorted: &Tensor, bins: u64) -> [Tensor; 3] {
        let narrow = self.empty("_to_copy", *sorted.shape(), DType::Int32);
        let counts = self.empty("histc", Shape::from([bins]), DType::Int32);
        let offsets = self.empty("cumsum", Shape::from([bins]), DType::Int32);
        drop(self.scratch("cumsum", self.scan_storage(bins, NARROW_SCAN_TILE)));
        [narrow, counts, offsets]
    }

    /// The host reads where the groups of x end, where no kernel does it.
    fn reads_groups(&self, x: &Tensor) {
        if self.backend().grouped_mm_waits || x.dtype() != DType::BFloat16 {
            self.synchronize_stream();
        }
    }

    /// `torch.nn.functional.grouped_mm(x, weights, offs)`: rows of x `[n, k]`, group by group, times
    /// the matrix of their group in `weights` `[E, k, m]`. Saves x and the weights. It is not among
    /// the operations that autocast casts.
    pub fn grouped_mm(&self, x: &Tensor, weights: &Tensor, offsets: &Tensor) -> Tensor {
        const OP: &str = "_grouped_mm";
        let shape = Shape::from([x.dim(0), weights.dim(2)]);
        let sizes = [x.dim(0), x.dim(1), weights.dim(2)];
        if !self.records(&[x, weights]) {
            self.computes(&sizes);
            let out = self.empty(OP, shape, x.dtype());
            self.reads_groups(x);
            return out;
        }
        let saved_x = weights.requires_grad().then(|| self.save(x));
        let saved_weights = x.requires_grad().then(|| self.save(weights));
        let saved_offsets = self.save(offsets);
        self.computes(&sizes);
        let out = self.empty(OP, shape, x.dtype());
        self.reads_groups(x);
        let (shape_x, shape_weights) = (*x.shape(), *weights.shape());
        let order = weights.strides();
        self.attach(
            &[x, weights],
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let weights = saved_weights.as_ref().map(|s| s.unpack(t));
                let _offsets = saved_offsets.unpack(t);
                let x = saved_x.as_ref().map(|s| s.unpack(t));
                let of_weights = x.as_ref().filter(|_| t.asks(1));
                let grad_weights = of_weights.map(|_| {
                    t.computes(&sizes);
                    let grad = t.empty_strided(OP, shape_weights, order, g.dtype());
                    t.reads_groups(g);
                    grad
                });
                let of_x = weights.as_ref().filter(|_| t.asks(0));
                let grad_x = of_x.map(|_| {
                    t.computes(&sizes);
                    let grad = t.empty(OP, shape_x, g.dtype());
                    t.reads_groups(g);
                    grad
                });
                smallvec![grad_x, grad_weights]
            }),
        )
    }
}
