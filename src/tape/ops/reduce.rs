//! Reductions.

use crate::tape::{Tape, Tensor};
use crate::units::Shape;
use smallvec::smallvec;

impl Tape {
    /// `x.mean(-1, keepdim=True)`. Saves nothing; the gradient is expanded and divided.
    pub fn mean_last(&self, x: &Tensor) -> Tensor {
        let mut shape = *x.shape();
        let last = shape.rank() - 1;
        shape.dims_mut()[last] = 1;
        let out = self.empty("mean", shape, x.dtype());
        if !self.records(&[x]) {
            return out;
        }
        let from = *x.shape();
        self.attach(
            "mean",
            &[x],
            out,
            Box::new(move |t, g| smallvec![g[0].as_ref().map(|g| t.empty("div", from, g.dtype()))]),
        )
    }

    /// `x.mean()`. Saves nothing.
    pub fn mean_all(&self, x: &Tensor) -> Tensor {
        let out = self.empty("mean", Shape::new(&[]), x.dtype());
        if !self.records(&[x]) {
            return out;
        }
        let from = *x.shape();
        self.attach(
            "mean",
            &[x],
            out,
            Box::new(move |t, g| smallvec![g[0].as_ref().map(|g| t.empty("div", from, g.dtype()))]),
        )
    }

    /// `sum_to_size`, as autograd sums a gradient to the shape of a broadcast input.
    pub(in crate::tape) fn sum_to_size(&self, x: &Tensor, shape: &Shape) -> Tensor {
        self.empty("sum", *shape, x.dtype())
    }
}
