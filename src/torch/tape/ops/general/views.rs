//! Views that select, and operations that join tensors.

use crate::tape::graph::Grads;
use crate::tape::{Tape, Tensor, layout};
use crate::units::{DType, Shape};
use smallvec::{SmallVec, smallvec};

/// Elements of a dimension at equal distances.
#[derive(Clone, Copy, Debug)]
pub struct Steps {
    /// The first.
    pub start: u64,
    /// How many.
    pub count: u64,
    /// From one to the next.
    pub step: u64,
}

impl Tape {
    /// Whether a tensor is a view of another.
    pub fn is_view(&self, x: &Tensor) -> bool {
        x.storage_of_base().is_some()
    }

    /// `x[.., start:end:step, ..]` with `by.count` elements: a view whose gradient is a full tensor of zeros around it.
    pub fn stepped(&self, x: &Tensor, dim: usize, by: Steps) -> Tensor {
        let (mut shape, mut strides) = (*x.shape(), x.strides());
        let before = by.start * strides.dims()[dim];
        shape.dims_mut()[dim] = by.count;
        strides.dims_mut()[dim] *= by.step;
        let from = *x.shape();
        let view = self.view_node(x, shape, strides, || {
            Box::new(move |t, g| {
                let full = |g: &Tensor| t.empty("slice_backward", from, g.dtype());
                smallvec![g[0].as_ref().map(full)]
            })
        });
        view.beginning(before)
    }

    /// `x.unfold(dim, size, step)`: a view of windows along a dimension, in a last dimension of their own, whose gradient is
    /// summed into zeros.
    pub fn windows_along(&self, x: &Tensor, dim: usize, size: u64, step: u64) -> Tensor {
        let (own, own_strides) = (x.shape().dims(), x.strides());
        let mut shape: SmallVec<[u64; 6]> = own.into();
        let mut strides: SmallVec<[u64; 6]> = own_strides.dims().into();
        strides.push(strides[dim]);
        shape.push(size);
        shape[dim] = (own[dim].saturating_sub(size)) / step.max(1) + 1;
        strides[dim] *= step;
        let from = *x.shape();
        self.view_node(x, Shape::new(&shape), Shape::new(&strides), || {
            Box::new(move |t, g| {
                let sum = |g: &Tensor| t.empty("unfold_backward", from, g.dtype());
                smallvec![g[0].as_ref().map(sum)]
            })
        })
    }

    /// `torch.nn.functional.unfold` or `fold`: windows of images as columns to a shape, or back. Saves nothing
    /// (`aten/src/ATen/native/cuda/{Im2Col,Col2Im}.cu`).
    pub fn columns(&self, op: &'static str, x: &Tensor, shape: Shape) -> Tensor {
        let from = *x.shape();
        let made = move |t: &Self, x: &Tensor, shape: Shape| {
            let _whole = t.contiguous(&x.detach());
            t.empty(op, shape, x.dtype())
        };
        let out = made(self, x, shape);
        self.with_nothing_saved(x, out, move |t, g| made(t, g, from))
    }

    /// `x.unbind(dim)`: views without the dimension, whose gradients are stacked. Saves nothing.
    pub fn unbound(&self, x: &Tensor, dim: usize) -> Vec<Tensor> {
        let count = x.shape().dims()[dim];
        let ones: Vec<u64> = (0..count).map(|_| 1).collect();
        let parts = self.parts(x, &ones, dim.cast_signed());
        let without = |of: &Shape| {
            let mut dims: SmallVec<[u64; 6]> = of.dims().into();
            dims.remove(dim);
            Shape::new(&dims)
        };
        let seen = |part: &Tensor| {
            let (shape, strides) = (without(part.shape()), without(&part.strides()));
            part.view_with(shape, strides, part.edge().cloned())
        };
        parts.iter().map(seen).collect()
    }

    /// `torch.stack(parts, dim)`. Saves nothing; the gradients are views.
    pub fn stacked(&self, parts: &[&Tensor], dim: usize) -> Tensor {
        let Some(first) = parts.first() else {
            return self.empty("stack", Shape::from([0]), DType::Float32);
        };
        let mut dims: SmallVec<[u64; 6]> = first.shape().dims().into();
        dims.insert(dim, parts.len() as u64);
        let dtype = parts.iter().skip(1).fold(first.dtype(), |dtype, part| {
            if part.dtype() == dtype {
                dtype
            } else {
                DType::Float32
            }
        });
        let out = self.empty("stack", Shape::new(&dims), dtype);
        if !self.records(parts) {
            return out;
        }
        let shape = *first.shape();
        let needs: SmallVec<[bool; 4]> = parts.iter().map(|part| part.requires_grad()).collect();
        self.attach(
            parts,
            out,
            Box::new(move |_, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let mut strides: SmallVec<[u64; 6]> = g.strides().dims().into();
                strides.remove(dim);
                let strides = Shape::new(&strides);
                let view = |needed: &bool| needed.then(|| g.view_with(shape, strides, None));
                needs.iter().map(view).collect()
            }),
        )
    }

    /// `torch.nn.functional.pad` with zeros to a shape; under it a view where PyTorch makes one.
    pub fn repeated_to(&self, x: &Tensor, shape: Shape) -> Tensor {
        let from = *x.shape();
        let out = self.empty("repeat", shape, x.dtype());
        self.with_nothing_saved(x, out, move |t, g| {
            if *g.shape() == from {
                return g.clone();
            }
            let sum = t.empty("sum", from, g.dtype());
            sum.detach_as(from, layout::contiguous(&from))
        })
    }

    /// `x.clone()`: a copy that lies as x does. Saves nothing.
    pub fn cloned(&self, x: &Tensor) -> Tensor {
        let out = self.like("clone", x);
        self.with_nothing_saved(x, out, |_, g| g.clone())
    }

    /// Whether `reshape` of x to a shape is a view.
    pub fn is_seen_as(&self, x: &Tensor, shape: &Shape) -> bool {
        layout::view(x.shape(), &x.strides(), shape).is_some()
    }
}
