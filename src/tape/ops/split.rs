//! One tensor seen as several.

use crate::tape::graph::{Edge, Grads};
use crate::tape::{Tape, Tensor};
use crate::units::Shape;
use smallvec::smallvec;
use std::rc::Rc;

impl Tape {
    /// `x.split(sizes, dim)`, or `x.chunk(n, dim)` with equal sizes: views whose gradients are
    /// concatenated. Saves nothing.
    pub fn split<const N: usize>(&self, x: &Tensor, sizes: [u64; N], dim: isize) -> [Tensor; N] {
        let mut parts = self.parts(x, &sizes, dim).into_iter();
        sizes.map(|_| parts.next().expect("a part for each size"))
    }

    /// The same for as many sizes as there are.
    pub fn parts(&self, x: &Tensor, sizes: &[u64], dim: isize) -> Vec<Tensor> {
        let count = sizes.len();
        let from = *x.shape();
        let axis = from.axis(dim);
        let part = move |size| {
            let mut shape = from;
            shape.dims_mut()[axis] = size;
            shape
        };
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
        let mut nr = 0;
        let view = |&size: &u64| {
            let edge = node.as_ref().map(|node| Edge::Node(Rc::clone(node), nr));
            nr += 1;
            x.view_with(part(size), *x.strides(), edge)
        };
        sizes.iter().map(view).collect()
    }
}
