//! Advanced indexing.

use crate::tape::graph::Grads;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use smallvec::smallvec;

impl Tape {
    /// `x[..., [i], ...]`: one slice of dimension `axis`, copied. Saves the index; the gradient is
    /// put into zeros by the kernel that sorts indices (`index_put_with_sort_kernel`,
    /// `aten/src/ATen/native/cuda/Indexing.cu`, torch 2.15).
    pub fn index_one(&self, x: &Tensor, axis: usize) -> Tensor {
        const OP: &str = "index";
        let index = self.empty(OP, Shape::from([1]), DType::Int64);
        let mut shape = *x.shape();
        shape.dims_mut()[axis] = 1;
        let saved = self.records(&[x]).then(|| self.save(&index));
        let out = self.empty(OP, shape, x.dtype());
        let Some(saved) = saved else { return out };
        let from = *x.shape();
        self.attach(
            &[x],
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let _index = saved.unpack(t);
                smallvec![Some(t.index_put_one(g, from))]
            }),
        )
    }

    /// `base[rows] = values` of a fresh base, which needs no gradient: the result is in its place. Saves the
    /// rows, of which the gradient is taken.
    pub fn put_in_rows(&self, base: &Tensor, rows: &Tensor, values: &Tensor) -> Tensor {
        let out = base.detach();
        if !self.records(&[values]) {
            return out;
        }
        let saved = self.save(rows);
        let shape = *values.shape();
        self.attach(
            &[values],
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let _rows = saved.unpack(t);
                smallvec![Some(t.empty("index", shape, g.dtype()))]
            }),
        )
    }

    /// `zeros.index_put_([i], g, accumulate=True)`.
    fn index_put_one(&self, g: &Tensor, shape: Shape) -> Tensor {
        const OP: &str = "index_put";
        let zeros = self.empty("new_zeros", shape, g.dtype());
        let one = || self.empty(OP, Shape::from([1]), DType::Int64);
        let linear = {
            let first = one();
            let linear = one();
            drop(first);
            linear
        };
        let _values = self.contiguous(g);
        let _sorted = (one(), one(), one());
        drop(self.empty(OP, Shape::from([1]), DType::UInt8));
        drop(linear);
        zeros
    }
}
