//! Changes of dtype and copies.

use crate::tape::{Tape, Tensor};
use crate::units::DType;
use smallvec::smallvec;

impl Tape {
    /// A copy of `x` with another dtype, outside of the graph.
    pub(in crate::tape) fn cast_to(&self, op: &'static str, x: &Tensor, dtype: DType) -> Tensor {
        self.elementwise(op, &[x], dtype)
    }

    /// `x.to(dtype)`: x itself when it has that dtype already. Saves nothing.
    pub fn to(&self, x: &Tensor, dtype: DType) -> Tensor {
        if x.dtype() == dtype {
            return x.clone();
        }
        let out = self.cast_to("_to_copy", x, dtype);
        if !self.records(&[x]) {
            return out;
        }
        let from = x.dtype();
        self.attach(
            &[x],
            out,
            Box::new(move |t, g| {
                smallvec![g[0].as_ref().map(|g| {
                    if g.dtype() == from {
                        g.clone()
                    } else {
                        t.cast_to("_to_copy", g, from)
                    }
                })]
            }),
        )
    }

    /// `x.contiguous()`: x itself when its elements lie in row-major order, else a copy.
    pub fn contiguous(&self, x: &Tensor) -> Tensor {
        if x.is_contiguous() {
            x.clone()
        } else {
            self.clone_contiguous(x)
        }
    }

    /// `x.clone(memory_format=torch.contiguous_format)`. Saves nothing.
    pub fn clone_contiguous(&self, x: &Tensor) -> Tensor {
        let out = self.empty("clone", *x.shape(), x.dtype());
        if !self.records(&[x]) {
            return out;
        }
        self.attach(&[x], out, Box::new(|_, g| g.clone()))
    }
}
