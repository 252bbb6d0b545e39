//! Views of every second column, and tensors that are written part by part.

use super::pointwise::promote;
use crate::tape::graph::Grads;
use crate::tape::{Tape, Tensor};
use crate::units::Shape;
use smallvec::smallvec;

impl Tape {
    /// `x[..., 0::2]` or `x[..., 1::2]` along `dim`: a view whose gradient is a full tensor of zeros
    /// around it.
    pub fn every_second(&self, x: &Tensor, dim: isize) -> Tensor {
        let (mut shape, mut strides) = (*x.shape(), x.strides());
        let axis = shape.axis(dim);
        shape.dims_mut()[axis] /= 2;
        strides.dims_mut()[axis] *= 2;
        let from = *x.shape();
        let out = x.view_with(shape, strides, None);
        self.with_nothing_saved(x, out, move |t, g| {
            t.empty("slice_backward", from, g.dtype())
        })
    }

    /// `torch.roll(x, shifts, dims)` of two dimensions: a copy for each of them, there and back.
    pub fn roll_twice(&self, x: &Tensor) -> Tensor {
        let rolled = |t: &Self, x: &Tensor| {
            let first = t.empty("roll", *x.shape(), x.dtype());
            let second = t.empty("roll", *x.shape(), x.dtype());
            drop(first);
            second
        };
        let out = rolled(self, x);
        self.with_nothing_saved(x, out, rolled)
    }

    /// `base[..., start:].copy_(part)` for columns of a fresh base `[.., D]`. The gradient of the base is copied; the
    /// overwritten part is zero in it (`CopySlices`, `torch/csrc/autograd/functions/tensor.cpp`, torch 2.15).
    pub fn put_columns(&self, base: Tensor, part: &Tensor) -> Tensor {
        if !self.records(&[&base, part]) {
            return base;
        }
        let (shape, dtype) = (*part.shape(), part.dtype());
        let base_needed = base.requires_grad();
        let out = base.detach();
        self.attach(
            &[&base, part],
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let copy = t.like("new_empty_strided", g);
                let slice = t.empty("clone", shape, g.dtype());
                let _zeros = base_needed.then(|| t.like("zeros_like", &slice));
                let slice = if dtype == g.dtype() {
                    slice
                } else {
                    t.cast_to("_to_copy", &slice, dtype)
                };
                smallvec![base_needed.then_some(copy), Some(slice)]
            }),
        )
    }

    /// `x.gather(-1, index)`. Saves x and the index; the gradient is scattered into zeros.
    pub fn gather(&self, x: &Tensor, index: &Tensor) -> Tensor {
        let from = *x.shape();
        let saved = self
            .records(&[x])
            .then(|| [index, x].map(|kept| self.save(kept)));
        let out = self.empty("gather", *index.shape(), x.dtype());
        let Some(saved) = saved else { return out };
        self.attach(
            &[x],
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let _kept = saved.each_ref().map(|saved| saved.unpack(t));
                smallvec![Some(t.empty("scatter_add", from, g.dtype()))]
            }),
        )
    }

    /// `base.scatter_(-1, index, x)` into a fresh base that needs no gradient: the result is in its
    /// place. Saves the index.
    pub fn scatter_in_place(&self, base: &Tensor, index: &Tensor, x: &Tensor) -> Tensor {
        let out = base.detach();
        if !self.records(&[x]) {
            return out;
        }
        let saved = self.save(index);
        self.attach(
            &[x],
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let index = saved.unpack(t);
                smallvec![Some(t.empty("gather", *index.shape(), g.dtype()))]
            }),
        )
    }

    /// `x.masked_fill(mask, number)`. Saves the mask.
    pub fn masked_fill(&self, x: &Tensor, mask: &Tensor) -> Tensor {
        self.overwritten("masked_fill", x, mask)
    }

    /// `x.scatter(-1, index, number)`. Saves the index.
    pub fn scatter_number(&self, x: &Tensor, index: &Tensor) -> Tensor {
        self.overwritten("scatter", x, index)
    }

    /// A copy of x in which the elements that `where_` selects are a number; its gradient is zero there. Saves
    /// `where_`.
    fn overwritten(&self, op: &'static str, x: &Tensor, where_: &Tensor) -> Tensor {
        let saved = self.records(&[x]).then(|| self.save(where_));
        let out = self.empty(op, *x.shape(), x.dtype());
        let Some(saved) = saved else { return out };
        self.attach(
            &[x],
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let _where = saved.unpack(t);
                smallvec![Some(t.empty(op, *g.shape(), g.dtype()))]
            }),
        )
    }

    /// `a - b`. Saves nothing.
    pub fn sub(&self, a: &Tensor, b: &Tensor) -> Tensor {
        let negative = b.requires_grad();
        let out = self.elementwise("sub", &[a, b], promote(a, b));
        if !self.records(&[a, b]) {
            return out;
        }
        let need_a = a.requires_grad();
        self.attach(
            &[a, b],
            out,
            Box::new(move |t, g| {
                let of_b = g[0].as_ref().filter(|_| negative && t.asks(1));
                let of_b = of_b.map(|g| t.like("neg", g));
                smallvec![need_a.then(|| g[0].clone()).flatten(), of_b]
            }),
        )
    }

    /// `x * angles` of complex numbers as pairs in float32 `[.., 2]`, for angles that need no
    /// gradient. Saves the angles.
    pub fn rotate_complex(&self, x: &Tensor, angles: &Tensor) -> Tensor {
        let saved = self.records(&[x]).then(|| self.save(angles));
        let out = self.elementwise("mul", &[x, angles], x.dtype());
        let Some(saved) = saved else { return out };
        self.attach(
            &[x],
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let angles = saved.unpack(t);
                let _conjugate = t.like("conj_physical", &angles);
                smallvec![Some(t.elementwise("mul", &[g, &angles], g.dtype()))]
            }),
        )
    }

    /// `torch.view_as_real(x)` of pairs that already are seen as such: a view whose gradient is made
    /// contiguous.
    pub fn view_as_real(&self, x: &Tensor) -> Tensor {
        let out = x.view_with(*x.shape(), x.strides(), None);
        if !self.records(&[x]) {
            return out;
        }
        let backward = |t: &Self, g: &Grads| smallvec![g[0].as_ref().map(|g| t.contiguous(g))];
        self.attach(&[x], out, Box::new(backward))
    }

    /// A tensor `[.., columns]` of the shape of `x` but for the last dimension, not yet written.
    pub fn new_empty(&self, x: &Tensor, columns: u64) -> Tensor {
        let mut shape: Shape = *x.shape();
        let last = shape.rank() - 1;
        shape.dims_mut()[last] = columns;
        self.empty("new_empty", shape, x.dtype())
    }
}
