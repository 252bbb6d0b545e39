//! Indexing by tensors of indices.

use crate::tape::graph::Grads;
use crate::tape::{Tape, Tensor};
use crate::units::Shape;
use smallvec::{SmallVec, smallvec};

impl Tape {
    /// `x[.., indices, ..]` with whole numbers that stand for the dimensions from `first` on, to a result of a shape.
    /// Saves the indices; the gradient is put into zeros by the kernel that sorts them
    /// (`index_put_with_sort_kernel`, `aten/src/ATen/native/cuda/Indexing.cu`).
    pub fn take_at(&self, x: &Tensor, indices: &[Tensor], shape: Shape) -> Tensor {
        let saved: Option<SmallVec<[_; 2]>> = self
            .records(&[x])
            .then(|| indices.iter().map(|at| self.save(at)).collect());
        let alike = indices.windows(2).all(|pair| {
            pair[0].shape() == pair[1].shape() && pair[0].strides() == pair[1].strides()
        });
        let copies: Vec<Tensor> = if alike {
            Vec::new()
        } else {
            indices
                .iter()
                .map(|at| self.contiguous(&at.detach()))
                .collect()
        };
        let out = self.empty("index", shape, x.dtype());
        drop(copies);
        let Some(saved) = saved else { return out };
        let from = *x.shape();
        let mut widest = 1;
        let mut dimensions = 0;
        for at in indices {
            widest = widest.max(at.numel());
            dimensions += 1;
        }
        self.attach(
            &[x],
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let _at: SmallVec<[Tensor; 2]> = saved.iter().map(|s| s.unpack(t)).collect();
                let grad = t.empty("new_zeros", from, g.dtype());
                t.index_put(g, widest, dimensions, from.numel());
                smallvec![Some(grad)]
            }),
        )
    }

    /// `x.index_select(dim, index)` to a result of a shape. Saves the index; the gradient is added to zeros.
    pub fn select_at(&self, x: &Tensor, index: &Tensor, shape: Shape) -> Tensor {
        let saved = self.records(&[x]).then(|| self.save(index));
        let out = self.empty("index_select", shape, x.dtype());
        let from = *x.shape();
        self.with_saved(x, out, saved, move |t, g, _| {
            let _zeros = t.empty("new_zeros", from, g.dtype());
            t.empty("index_add", from, g.dtype())
        })
    }

    /// `torch.roll(x, shifts, dims)` of `dimensions` of them: a copy for each of them, there and back.
    pub fn roll(&self, x: &Tensor, dimensions: usize) -> Tensor {
        let rolled = move |t: &Self, x: &Tensor| {
            let copy = |_| t.empty("roll", *x.shape(), x.dtype());
            // Each is made of the one before, which goes then.
            (1..dimensions).fold(copy(0), |_before, i| copy(i))
        };
        let out = rolled(self, x);
        self.with_nothing_saved(x, out, move |t, g| rolled(t, g))
    }

    /// `x.flip(dims)`, there and back.
    pub fn flip(&self, x: &Tensor) -> Tensor {
        let out = self.like("flip", x);
        self.with_nothing_saved(x, out, |t, g| t.like("flip", g))
    }

    /// `torch.tril(x)` or `torch.triu(x)`, there and back.
    pub fn triangular(&self, op: &'static str, x: &Tensor) -> Tensor {
        let out = self.like(op, x);
        self.with_nothing_saved(x, out, move |t, g| t.like(op, g))
    }
}
