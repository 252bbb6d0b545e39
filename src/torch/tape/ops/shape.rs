//! Views, and the copies that PyTorch makes where a view is impossible.

use crate::tape::graph::{Backward, Edge};
use crate::tape::{Tape, Tensor, layout};
use crate::units::{DType, Shape};
use smallvec::smallvec;

impl Tape {
    pub(in crate::tape) fn view_node(
        &self,
        x: &Tensor,
        shape: Shape,
        strides: Shape,
        backward: impl FnOnce() -> Backward,
    ) -> Tensor {
        let edge = self
            .records(&[x])
            .then(|| Edge::Node(self.node(&[x], backward()), 0));
        x.view_with(shape, strides, edge)
    }

    /// `x.view(shape)`.
    pub fn view(&self, x: &Tensor, shape: impl Into<Shape>) -> Tensor {
        let shape = shape.into();
        let strides =
            layout::view(x.shape(), &x.strides(), &shape).expect("a view of these strides exists");
        let from = *x.shape();
        self.view_node(x, shape, strides, || {
            Box::new(move |t, g| smallvec![g[0].as_ref().map(|g| t.reshape(g, from))])
        })
    }

    /// `x.reshape(shape)`: a view, or a copy where none exists.
    pub fn reshape(&self, x: &Tensor, shape: impl Into<Shape>) -> Tensor {
        let shape = shape.into();
        if layout::view(x.shape(), &x.strides(), &shape).is_some() {
            self.view(x, shape)
        } else {
            let copy = self.clone_contiguous(x);
            self.unsafe_view(&copy, shape)
        }
    }

    /// `_unsafe_view`: another shape for a fresh tensor, which is not a view for autograd.
    pub(in crate::tape) fn unsafe_view(&self, x: &Tensor, shape: impl Into<Shape>) -> Tensor {
        let shape = shape.into();
        let from = *x.shape();
        let records = self.records(&[x]);
        let out = x.detach_as(shape, layout::contiguous(&shape));
        if !records {
            return out;
        }
        self.attach(
            &[x],
            out,
            Box::new(move |t, g| smallvec![g[0].as_ref().map(|g| t.reshape(g, from))]),
        )
    }

    /// `x.transpose(a, b)`.
    pub fn transpose(&self, x: &Tensor, a: isize, b: isize) -> Tensor {
        let (i, j) = (x.shape().axis(a), x.shape().axis(b));
        let (mut shape, mut strides) = (*x.shape(), x.strides());
        shape.dims_mut().swap(i, j);
        strides.dims_mut().swap(i, j);
        self.view_node(x, shape, strides, || {
            Box::new(move |t, g| smallvec![g[0].as_ref().map(|g| t.transpose(g, a, b))])
        })
    }

    /// `x.permute(order)`.
    pub fn permute(&self, x: &Tensor, order: &[usize]) -> Tensor {
        let picked = |of: &Shape, order: &[usize]| {
            let dims: smallvec::SmallVec<[u64; 5]> = order.iter().map(|&d| of.dims()[d]).collect();
            Shape::new(&dims)
        };
        let (shape, strides) = (picked(x.shape(), order), picked(&x.strides(), order));
        let mut inverse: smallvec::SmallVec<[usize; 5]> = order.into();
        for (to, &from) in order.iter().enumerate() {
            inverse[from] = to;
        }
        self.view_node(x, shape, strides, || {
            Box::new(move |t, g| smallvec![g[0].as_ref().map(|g| t.permute(g, &inverse))])
        })
    }

    /// `x.select(dim, index)`: one slice without its dimension.
    pub fn select(&self, x: &Tensor, dim: usize) -> Tensor {
        let without = |of: &Shape| {
            let mut dims: smallvec::SmallVec<[u64; 5]> = of.dims().into();
            dims.remove(dim);
            Shape::new(&dims)
        };
        let from = *x.shape();
        self.view_node(x, without(x.shape()), without(&x.strides()), || {
            Box::new(move |t, g| {
                let full = |g: &Tensor| t.empty("select_backward", from, g.dtype());
                smallvec![g[0].as_ref().map(full)]
            })
        })
    }

    /// `x.t()` of a matrix.
    pub fn t(&self, x: &Tensor) -> Tensor {
        self.transpose(x, 0, 1)
    }

    /// `x.expand(shape)`.
    pub fn expand(&self, x: &Tensor, shape: impl Into<Shape>) -> Tensor {
        let shape = shape.into();
        let missing = shape.rank() - x.shape().rank();
        let mut strides = shape;
        for (d, stride) in strides.dims_mut().iter_mut().enumerate() {
            *stride = if d < missing || x.shape().dims()[d - missing] != shape.dims()[d] {
                0
            } else {
                x.strides().dims()[d - missing]
            };
        }
        let from = *x.shape();
        self.view_node(x, shape, strides, || {
            Box::new(move |t, g| {
                smallvec![g[0].as_ref().map(|g| {
                    if *g.shape() == from {
                        g.clone()
                    } else {
                        t.sum_to_size(g, &from)
                    }
                })]
            })
        })
    }

    /// `x.repeat(..)`, `times` times along one dimension: a copy, whatever `times` is. Saves nothing;
    /// its gradient is summed.
    pub fn repeat_along(&self, x: &Tensor, dim: usize, times: u64) -> Tensor {
        let from = *x.shape();
        let mut shape = from;
        shape.dims_mut()[dim] *= times;
        let out = self.empty("repeat", shape, x.dtype());
        self.with_nothing_saved(x, out, move |t, g| {
            if times == 1 {
                return g.clone();
            }
            let mut dims: smallvec::SmallVec<[u64; 5]> = from.dims().into();
            dims.insert(dim, times);
            let parts = t.reshape(g, Shape::new(&dims));
            dims[dim] = 1;
            let sum = t.reduce("sum", &parts, Shape::new(&dims), g.dtype());
            sum.detach_as(from, layout::contiguous(&from))
        })
    }

    /// `x.unsqueeze(dim)`.
    pub fn unsqueeze(&self, x: &Tensor, dim: usize) -> Tensor {
        let insert = |of: &Shape, value: u64| {
            let mut dims: smallvec::SmallVec<[u64; 5]> = of.dims().into();
            dims.insert(dim, value);
            Shape::new(&dims)
        };
        let step = x
            .strides()
            .dims()
            .get(dim)
            .map_or(1, |s| s * x.shape().dims()[dim]);
        let (shape, strides) = (insert(x.shape(), 1), insert(&x.strides(), step));
        let from = *x.shape();
        self.view_node(x, shape, strides, || {
            Box::new(move |t, g| smallvec![g[0].as_ref().map(|g| t.reshape(g, from))])
        })
    }

    /// `x[..., start:end]` along `dim`: a view whose gradient is a full tensor of zeros around it.
    pub fn slice(&self, x: &Tensor, dim: isize, start: u64, end: u64) -> Tensor {
        let mut shape = *x.shape();
        let axis = shape.axis(dim);
        let whole = start == 0 && end == shape.dims()[axis];
        shape.dims_mut()[axis] = end - start;
        let from = *x.shape();
        let before = start * x.strides().dims()[axis];
        let view = self.view_node(x, shape, x.strides(), || {
            Box::new(move |t, g| {
                smallvec![g[0].as_ref().map(|g| {
                    if whole {
                        g.clone()
                    } else {
                        t.empty("slice_backward", from, g.dtype())
                    }
                })]
            })
        });
        view.beginning(before)
    }

    /// `x[..., :, ...]` where the framework records a slice of a whole dimension: a view whose
    /// gradient is copied into zeros of the same shape.
    pub fn whole_slice(&self, x: &Tensor) -> Tensor {
        let from = *x.shape();
        self.view_node(x, from, x.strides(), || {
            Box::new(move |t, g| {
                smallvec![
                    g[0].as_ref()
                        .map(|g| t.empty("slice_backward", from, g.dtype()))
                ]
            })
        })
    }

    /// `torch.nn.functional.pad(x, ..)` with zeros around it, to `shape`: a copy even where nothing is
    /// added. Saves nothing; its gradient is copied out of the incoming one.
    pub fn pad(&self, x: &Tensor, shape: Shape) -> Tensor {
        const OP: &str = "constant_pad_nd";
        let from = *x.shape();
        let copied = |t: &Self, x: &Tensor, shape: Shape| {
            // Where something is added only the order of channels that come last is kept.
            let longer = shape.numel() > x.numel();
            let strides = if longer && !layout::is_channels_last(x.shape(), &x.strides()) {
                layout::contiguous(&shape)
            } else {
                layout::elementwise(&shape, &[(x.shape(), x.strides())])
            };
            t.empty_strided(OP, shape, strides, x.dtype())
        };
        let out = copied(self, x, shape);
        if !self.records(&[x]) {
            return out;
        }
        self.attach(
            &[x],
            out,
            Box::new(move |t, g| smallvec![g[0].as_ref().map(|g| copied(t, g, from))]),
        )
    }

    /// `x.repeat_interleave(times, dim)`: a copy. Saves nothing.
    pub fn repeat_interleave(&self, x: &Tensor, dim: usize, times: u64) -> Tensor {
        let mut shape = *x.shape();
        shape.dims_mut()[dim] *= times;
        let copy = {
            let one = self.unsqueeze(x, dim + 1);
            let mut all = *one.shape();
            all.dims_mut()[dim + 1] = times;
            self.clone_contiguous(&self.expand(&one, all))
        };
        self.view(&copy, shape)
    }

    /// x itself, which keeps a storage for each number of bytes in `storages` until backward reaches it.
    pub fn keeping(&self, x: &Tensor, storages: impl Iterator<Item = u64>) -> Tensor {
        if !self.records(&[x]) {
            return x.clone();
        }
        let forgets = self.recompute.borrow().is_none() && self.checkpoint.borrow().is_some();
        let kept = |bytes| {
            if forgets {
                x.detach()
            } else {
                self.empty("loop", Shape::from([bytes]), DType::UInt8)
            }
        };
        let saved: Vec<_> = storages.map(|bytes| self.save(&kept(bytes))).collect();
        self.view_node(x, *x.shape(), x.strides(), || {
            Box::new(move |t, g| {
                let _kept: Vec<_> = saved.iter().map(|kept| kept.unpack(t)).collect();
                g.clone()
            })
        })
    }

    /// `torch.stack(parts, dim=-1)` of `count` tensors of which `parts` are some. Saves nothing; the
    /// gradients are views.
    pub fn stack_last(&self, parts: &[&Tensor], count: u64) -> Tensor {
        let mut dims: smallvec::SmallVec<[u64; 5]> = parts[0].shape().dims().into();
        dims.push(count);
        let out = self.empty("stack", Shape::new(&dims), widest(parts));
        if !self.records(parts) {
            return out;
        }
        let (shape, n) = (*parts[0].shape(), parts.len());
        self.attach(
            parts,
            out,
            Box::new(move |_, g| {
                let Some(g) = &g[0] else { return smallvec![] };
                let strides = Shape::new(&g.strides().dims()[..shape.rank()]);
                (0..n)
                    .map(|_| Some(g.view_with(shape, strides, None)))
                    .collect()
            }),
        )
    }

    /// `torch.cat(parts, dim)`. Saves nothing; the gradients are views.
    pub fn cat(&self, parts: &[&Tensor], dim: isize) -> Tensor {
        let axis = parts[0].shape().axis(dim);
        let length = parts.iter().map(|p| p.shape().dims()[axis]).sum();
        self.cat_of_length(parts, dim, length)
    }

    /// `torch.cat(parts, dim)` with `length` along `dim`, where a few `parts` may stand for all.
    pub fn cat_of_length(&self, parts: &[&Tensor], dim: isize, length: u64) -> Tensor {
        let mut shape = *parts[0].shape();
        let axis = shape.axis(dim);
        shape.dims_mut()[axis] = length;
        let dtype = widest(parts);
        let format = |part: &&Tensor| layout::channels_last(part.shape(), &part.strides(), &shape);
        let formats = parts.iter().map(format).collect::<Option<Vec<_>>>();
        let out = match formats.and_then(|all| all.first().copied()) {
            Some(strides) => self.empty_strided("cat", shape, strides, dtype),
            None => self.empty("cat", shape, dtype),
        };
        if !self.records(parts) {
            return out;
        }
        let sizes: smallvec::SmallVec<[(u64, bool); 3]> = parts
            .iter()
            .map(|p| (p.shape().dims()[axis], p.requires_grad()))
            .collect();
        self.attach(
            parts,
            out,
            Box::new(move |_, g| {
                let Some(g) = &g[0] else { return smallvec![] };
                sizes
                    .iter()
                    .map(|&(size, needed)| {
                        let mut shape = *g.shape();
                        shape.dims_mut()[axis] = size;
                        needed.then(|| g.view_with(shape, g.strides(), None))
                    })
                    .collect()
            }),
        )
    }
}

fn widest(parts: &[&Tensor]) -> DType {
    let first = parts[0].dtype();
    if parts.iter().all(|p| p.dtype() == first) {
        first
    } else {
        DType::Float32
    }
}
