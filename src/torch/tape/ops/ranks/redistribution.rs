//! Tensors that ranks have together, on one of the ranks: how they are made of this rank's own tensors, and
//! how they are divided in another way by collectives, which give new tensors. Gradients take the other way.
//!
//! Of sums each rank has an addend (`Partial`); copies are the same on all (`Replicate`); parts are
//! divided along a dimension (`Shard`), the first rank's as large as any.
//!
//! Source: `torch/distributed/_functional_collectives.py`, `torch/distributed/tensor/{_api,_redistribute,
//! placement_types}.py`, `torch/distributed/_utils.py` (`_maybe_view_chunk_cat`), torch 2.15.

use crate::tape::{Collective, Tape, Tensor, layout};
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

    /// x itself, which `ranks` ranks have, to compute parts of a sum with: its gradient is summed in place.
    pub fn own_part(&self, x: &Tensor, ranks: u64) -> Tensor {
        self.view_node(x, *x.shape(), x.strides(), || {
            Box::new(move |t, g| {
                smallvec![g[0].as_ref().map(|g| {
                    t.communicates(Collective::AllReduce, g.nbytes(), ranks);
                    t.contiguous(g)
                })]
            })
        })
    }

    /// `DTensor.from_local(x, [Shard(..)])`: x itself, as a part of a distributed tensor.
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

    /// Parts `[B, S / ranks, ..]` of a sequence gathered, for operations of which each rank computes an addend:
    /// the gradient is made by ranks that get a part each.
    pub fn gathered_sequence(&self, x: &Tensor, ranks: u64) -> Tensor {
        self.distributed(|| {
            let out = self.all_gather(x, 1, [x.dim(1) * ranks, ranks]);
            self.with_nothing_saved(x, out, move |t, g| t.reduce_scatter(g, 1, ranks))
        })
    }

    /// Gathers columns that ranks have parts of, `whole` in all; the gradient is cut.
    pub fn gathered_columns(&self, x: &Tensor, whole: u64, ranks: u64) -> Tensor {
        self.gathered(x, x.shape().rank() - 1, [whole, ranks])
    }

    /// Gathers rows that ranks have parts of, `whole` in all; the gradient is cut.
    pub fn gathered_rows(&self, x: &Tensor, whole: u64, ranks: u64) -> Tensor {
        self.gathered(x, 0, [whole, ranks])
    }

    fn gathered(&self, x: &Tensor, dim: usize, sizes: [u64; 2]) -> Tensor {
        let out = self.all_gather(x, dim, sizes);
        let part = *x.shape();
        self.with_nothing_saved(x, out, move |t, g| t.empty("clone", part, g.dtype()))
    }

    /// This rank's columns of a tensor that all ranks have; the gradient is gathered.
    pub fn own_columns(&self, x: &Tensor, ranks: u64) -> Tensor {
        self.own_slice(x, x.shape().rank() - 1, ranks)
    }

    /// This rank's rows of a tensor that all ranks have; the gradient is gathered.
    pub fn own_rows(&self, x: &Tensor, ranks: u64) -> Tensor {
        self.own_slice(x, 0, ranks)
    }

    fn own_slice(&self, x: &Tensor, dim: usize, ranks: u64) -> Tensor {
        let whole = x.shape().dims()[dim];
        let mut part = *x.shape();
        part.dims_mut()[dim] = whole.div_ceil(ranks);
        let out = self.empty("clone", part, x.dtype());
        self.with_nothing_saved(x, out, move |t, g| t.all_gather(g, dim, [whole, ranks]))
    }

    /// Ranks that divide tensors sum this one.
    pub fn sums_on_ranks(&self, x: &Tensor) {
        self.communicates(Collective::AllReduce, x.nbytes(), self.tensor_ranks());
    }

    /// `funcol.all_reduce`.
    pub(super) fn all_reduce(&self, x: &Tensor) -> Tensor {
        self.sums_on_ranks(x);
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
        self.communicates(Collective::AllGather, gathered.nbytes(), ranks);
        if dim == 0 {
            // Rows beyond are cut in a view.
            shape.dims_mut()[dim] = whole;
        }
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
        self.communicates(Collective::ReduceScatter, x.nbytes(), ranks);
        let _stacked = (dim > 0).then(|| self.empty("cat", *x.shape(), x.dtype()));
        self.empty("reduce_scatter_tensor", part, x.dtype())
    }
}

#[cfg(test)]
mod tests {
    use crate::tape::{Backend, Placement, RawStorage, Tape};
    use crate::units::{DType, Shape};

    /// The bytes of each allocation of a program.
    fn allocated(program: impl FnOnce(&Tape)) -> Vec<u64> {
        let tape = Tape::new(Backend::default());
        program(&tape);
        let (record, _) = tape.finish();
        record
            .written()
            .iter()
            .map(|s: RawStorage| s.bytes)
            .collect()
    }

    #[test]
    fn parts_of_one_sample_are_gathered_in_place_and_those_of_several_copied() {
        let gather = |samples: u64| {
            allocated(|t| {
                let part = t.empty("x", Shape::from([samples, 4, 64]), DType::Float32);
                t.gathered_sequence(&part, 2);
            })
        };
        assert_eq!(gather(1), [1024, 2048]);
        assert_eq!(gather(2), [2048, 4096, 4096]);
    }

    #[test]
    fn a_sum_in_parts_is_stacked_by_ranks_first() {
        let made = allocated(|t| {
            let x = t.empty("x", Shape::from([1, 8, 64]), DType::Float32);
            t.summed_in_parts(&x, 2);
        });
        assert_eq!(made, [2048, 2048, 1024]);
    }

    #[test]
    fn gradients_of_what_ranks_have_together_are_never_added_in_place() {
        let twice = |placement: Placement| {
            let made = allocated(|t| {
                let w = t.placed(placement, || t.parameter(Shape::from([8]), DType::Float32));
                let x = t.empty("x", Shape::from([8]), DType::Float32);
                let sum = t.add(&t.mul(&w, &x), &t.mul(&w, &x));
                t.backward(&sum);
            });
            made.len()
        };
        assert_eq!(twice(Placement::Divided), twice(Placement::Local) + 1);
    }

    #[test]
    fn only_gradients_that_lie_otherwise_than_their_parameters_are_placed_anew() {
        let t = Tape::new(Backend::default());
        for placement in [
            Placement::Local,
            Placement::Divided,
            Placement::Copied,
            Placement::Summed,
        ] {
            let w = t.placed(placement, || t.parameter(Shape::from([8]), DType::Float32));
            w.set_gradient(Some(t.empty("gradient", Shape::from([8]), DType::Float32)));
        }
        assert_eq!(t.placed_gradients().len(), 1);
        let w = t.placed(Placement::Divided, || {
            t.parameter(Shape::from([8]), DType::Float32)
        });
        w.set_gradient(Some(t.empty("gradient", Shape::from([16]), DType::Float32)));
        assert_eq!(t.placed_gradients().len(), 2);
    }
}
