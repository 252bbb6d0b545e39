//! Tensors that ranks have together, on one of the ranks: how they are made of this rank's own tensors, and
//! how they are divided in another way by collectives, which give new tensors. Gradients take the other way.
//!
//! Sums are what each rank has a part of (`Partial`); copies are the same on all (`Replicate`); parts are
//! divided along a dimension (`Shard`), the first rank's as large as any.
//!
//! Source: `torch/distributed/_functional_collectives.py`, `torch/distributed/tensor/{_api,_redistribute,
//! placement_types}.py`, `torch/distributed/_utils.py` (`_maybe_view_chunk_cat`), torch 2.15.

use crate::tape::{Tape, Tensor, layout};
use crate::units::Shape;
use smallvec::smallvec;

impl Tape {
    /// `DTensor.from_local(x, [Replicate()])`: x itself, whose gradient is a sum that ranks make together.
    pub fn copied_on_ranks(&self, x: &Tensor) -> Tensor {
        self.distributed(|| {
            self.view_node(x, *x.shape(), x.strides(), || {
                Box::new(|t, g| smallvec![g[0].as_ref().map(|g| t.all_reduce(g))])
            })
        })
    }

    /// x itself, which all ranks have, to compute parts of a sum with: its gradient is summed in place.
    pub fn own_part(&self, x: &Tensor) -> Tensor {
        self.view_node(x, *x.shape(), x.strides(), || {
            Box::new(|t, g| smallvec![g[0].as_ref().map(|g| t.contiguous(g))])
        })
    }

    /// `DTensor.from_local(x, [Shard(..)])`: x itself, as a part of what ranks have together.
    pub fn part_of_ranks(&self, x: &Tensor) -> Tensor {
        self.distributed(|| {
            self.view_node(x, *x.shape(), x.strides(), || {
                Box::new(|_, g| smallvec![g[0].clone()])
            })
        })
    }

    /// A sum made on all ranks: a new tensor. Its gradient is the same on all.
    pub fn summed_on_ranks(&self, x: &Tensor) -> Tensor {
        let out = self.all_reduce(x);
        self.with_nothing_saved(x, out, |_, g| g.clone())
    }

    /// A sum `[B, S, ..]` made by ranks that get a part of the sequence each; the gradient is gathered.
    pub fn summed_in_parts(&self, x: &Tensor, ranks: u64) -> Tensor {
        let out = self.reduce_scatter(x, 1, ranks);
        let whole = x.dim(1);
        self.with_nothing_saved(x, out, move |t, g| t.all_gather(g, 1, [whole, ranks]))
    }

    /// Parts `[B, S / ranks, ..]` of a sequence gathered, for what each rank computes a part of a sum with:
    /// the gradient is made by ranks that get a part each.
    pub fn gathered_sequence(&self, x: &Tensor, ranks: u64) -> Tensor {
        self.distributed(|| {
            let out = self.all_gather(x, 1, [x.dim(1) * ranks, ranks]);
            self.with_nothing_saved(x, out, move |t, g| t.reduce_scatter(g, 1, ranks))
        })
    }

    /// Columns that ranks have parts of gathered, of which there are so many in all; the gradient is cut.
    pub fn gathered_columns(&self, x: &Tensor, whole: u64, ranks: u64) -> Tensor {
        let out = self.all_gather(x, x.shape().rank() - 1, [whole, ranks]);
        let part = *x.shape();
        self.with_nothing_saved(x, out, move |t, g| t.empty("clone", part, g.dtype()))
    }

    /// This rank's columns of a tensor that all have; the gradient is gathered.
    pub fn own_columns(&self, x: &Tensor, ranks: u64) -> Tensor {
        let last = x.shape().rank() - 1;
        let whole = x.dim(-1);
        let mut part = *x.shape();
        part.dims_mut()[last] = whole.div_ceil(ranks);
        let out = self.empty("clone", part, x.dtype());
        self.with_nothing_saved(x, out, move |t, g| t.all_gather(g, last, [whole, ranks]))
    }

    /// `funcol.all_reduce`.
    pub(super) fn all_reduce(&self, x: &Tensor) -> Tensor {
        self.empty("all_reduce", *x.shape(), x.dtype())
    }

    /// `Shard._to_replicate_tensor`: parts along `dim` of one that is `whole`.
    fn all_gather(&self, x: &Tensor, dim: usize, [whole, ranks]: [u64; 2]) -> Tensor {
        let x = self.contiguous(x);
        let dims = x.shape().dims();
        let (samples, padded) = (dims[0], dims[dim] * ranks);
        let between: u64 = dims.get(1..dim).unwrap_or_default().iter().product();
        let mut shape = *x.shape();
        shape.dims_mut()[dim] = padded;
        let mut stacked = *x.shape();
        stacked.dims_mut()[0] *= ranks;
        let gathered = self.empty("all_gather_into_tensor", stacked, x.dtype());
        let joined = if dim == 0 || (samples == 1 && between == 1) {
            gathered.view_with(shape, layout::contiguous(&shape), None)
        } else {
            self.empty("cat", shape, x.dtype())
        };
        drop(gathered);
        if padded == whole || dim == 0 {
            return joined;
        }
        shape.dims_mut()[dim] = whole;
        self.empty("clone", shape, x.dtype())
    }

    /// `Shard._reduce_shard_tensor` along `dim`, which ranks divide.
    fn reduce_scatter(&self, x: &Tensor, dim: usize, ranks: u64) -> Tensor {
        let x = self.contiguous(x);
        let mut part: Shape = *x.shape();
        part.dims_mut()[dim] /= ranks;
        let _stacked = (dim > 0).then(|| self.empty("cat", *x.shape(), x.dtype()));
        self.empty("reduce_scatter_tensor", part, x.dtype())
    }
}
