//! One tensor seen as several.

use crate::tape::graph::{Edge, Grads};
use crate::tape::{Tape, Tensor};
use crate::units::Shape;
use smallvec::smallvec;
use std::rc::Rc;

/// How a part of a tensor lies.
#[derive(Clone, Copy)]
struct Part {
    shape: Shape,
    strides: Shape,
    /// Elements from where it begins to where the next one does.
    step: u64,
}

impl Tape {
    /// `torch.cat(list(x))`: a copy of x `[N, .., ..]` as `[N * .., ..]`. The gradients of the parts
    /// are stacked again.
    pub fn join_first(&self, x: &Tensor) -> Tensor {
        let (from, mut joined) = (*x.shape(), x.shape().dims()[1..].to_vec());
        joined[0] *= x.dim(0);
        let out = self.empty("cat", Shape::new(&joined), x.dtype());
        self.with_nothing_saved(x, out, move |t, g| t.empty("stack", from, g.dtype()))
    }

    /// `x.split(sizes, dim)`, or `x.chunk(n, dim)` with equal sizes: views whose gradients are
    /// concatenated. Saves nothing.
    pub fn split<const N: usize>(&self, x: &Tensor, sizes: [u64; N], dim: isize) -> [Tensor; N] {
        let mut parts = self.parts(x, &sizes, dim).into_iter();
        sizes.map(|_| parts.next().expect("a part for each size"))
    }

    /// Splits `x` into parts of these sizes.
    pub fn parts(&self, x: &Tensor, sizes: &[u64], dim: isize) -> Vec<Tensor> {
        let axis = x.shape().axis(dim);
        let part = |&size: &u64| {
            let mut shape = *x.shape();
            shape.dims_mut()[axis] = size;
            Part {
                shape,
                strides: x.strides(),
                step: size * x.strides().dims()[axis],
            }
        };
        self.apart(x, sizes.iter().map(part))
    }

    /// `x.unbind(dim)` of a dimension of size N: views without it, whose gradients are stacked. Saves
    /// nothing.
    pub fn unbind<const N: usize>(&self, x: &Tensor, dim: usize) -> [Tensor; N] {
        let without = |of: &Shape| {
            let mut dims: smallvec::SmallVec<[u64; 5]> = of.dims().into();
            dims.remove(dim);
            Shape::new(&dims)
        };
        let part = Part {
            shape: without(x.shape()),
            strides: without(&x.strides()),
            step: x.strides().dims()[dim],
        };
        let mut parts = self.apart(x, std::iter::repeat_n(part, N)).into_iter();
        [(); N].map(|()| parts.next().expect("a part for each index"))
    }

    /// Views of x, which lie one behind the other, and whose gradients become one.
    fn apart(&self, x: &Tensor, parts: impl ExactSizeIterator<Item = Part>) -> Vec<Tensor> {
        let count = parts.len();
        let from = *x.shape();
        let node = self.records(&[x]).then(|| {
            self.node(
                &[x],
                Box::new(move |t, g| {
                    let Some(dtype) = g.iter().flatten().map(Tensor::dtype).next() else {
                        return Grads::new();
                    };
                    // Parts without a gradient count as zeros.
                    let _zeros: Vec<Tensor> = (0..count)
                        .filter(|&i| g.get(i).is_none_or(Option::is_none))
                        .map(|_| t.empty("zeros", Shape::new(&[]), dtype))
                        .collect();
                    smallvec![Some(t.empty("cat", from, dtype))]
                }),
            )
        });
        let (mut nr, mut begins) = (0, 0);
        let view = |Part {
                        shape,
                        strides,
                        step,
                    }| {
            let edge = node.as_ref().map(|node| Edge::Node(Rc::clone(node), nr));
            nr += 1;
            let view = x.view_with(shape, strides, edge).beginning(begins);
            begins += step;
            view
        };
        parts.map(view).collect()
    }
}
