//! `torch.matmul` of any tensors, and `torch.einsum` of two.

use crate::tape::graph::Grads;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use smallvec::{SmallVec, smallvec};

/// Sizes of a shape.
type Sizes = SmallVec<[u64; 6]>;

impl Tape {
    /// `torch.matmul(a, b)` (`aten/src/ATen/native/LinearAlgebra.cpp`): of more than two dimensions times a matrix
    /// that gets a gradient, or where rows lie one after the other, all rows at once; else batches.
    pub fn multiplied(&self, a: &Tensor, b: &Tensor) -> Option<Tensor> {
        let (b, a) = (self.cast_down(b), self.cast_down(a));
        self.without_autocast(|| match (a.shape().rank(), b.shape().rank()) {
            (0, _) | (_, 0) => None,
            (2, 2) => Some(self.mm(&a, &b)),
            (1, 2) => {
                let row = self.unsqueeze(&a, 0);
                let out = self.mm(&row, &b);
                Some(self.view(&out, [b.dim(1)]))
            }
            (n, 1) if n >= 2 => {
                let column = self.unsqueeze(&b, 1);
                let out = self.multiplied(&a, &column)?;
                let dims: Sizes = a.shape().dims()[..n - 1].into();
                Some(self.view(&out, Shape::new(&dims)))
            }
            (n, 2) if n > 2 && folds(&a, &b) => {
                let mut shape = *a.shape();
                shape.dims_mut()[n - 1] = b.dim(1);
                let rows = self.reshape(&a, [a.numel() / a.dim(-1).max(1), a.dim(-1)]);
                let out = self.mm(&rows, &b);
                Some(self.unsafe_view(&out, shape))
            }
            (2, n) if n > 2 && folds(&b, &a) => {
                // The smaller one comes from the left: both are transposed.
                let columns = self.multiplied(&self.transpose(&b, -1, -2), &self.t(&a))?;
                let back = self.transpose(&columns, -1, -2);
                Some(self.contiguous(&back))
            }
            (1, _) => {
                let row = self.unsqueeze(&a, 0);
                let out = self.batches(&row, &b)?;
                let mut dims: Sizes = out.shape().dims().into();
                dims.remove(dims.len() - 2);
                Some(self.view(&out, Shape::new(&dims)))
            }
            _ => self.batches(&a, &b),
        })
    }

    /// Batches of products, whose leading dimensions are broadcast.
    fn batches(&self, a: &Tensor, b: &Tensor) -> Option<Tensor> {
        let (n, k, m) = (a.dim(-2), a.dim(-1), b.dim(-1));
        if b.dim(-2) != k {
            return None;
        }
        let lead = |x: &Tensor| -> Sizes { x.shape().dims()[..x.shape().rank() - 2].into() };
        let (of_a, of_b) = (lead(a), lead(b));
        let rank = of_a.len().max(of_b.len());
        let mut batch: Sizes = smallvec![1; rank];
        for of in [&of_a, &of_b] {
            for (size, &dim) in batch[rank - of.len()..].iter_mut().zip(of.iter()) {
                if dim != 1 {
                    *size = dim;
                }
            }
        }
        let samples: u64 = batch.iter().product();
        let with = |rows: u64, columns: u64| {
            let mut dims = batch.clone();
            dims.extend([rows, columns]);
            Shape::new(&dims)
        };
        let a = self.expand(a, with(n, k));
        let a3 = self.reshape(&a, [samples, n, k]);
        let b = self.expand(b, with(k, m));
        let b3 = self.reshape(&b, [samples, k, m]);
        let out = self.bmm(&a3, &b3);
        Some(self.unsafe_view(&out, with(n, m)))
    }

    /// `torch.cdist(a, b)` by a product (`_euclidean_dist`, `aten/src/ATen/native/Distance.cpp`), under autocast in
    /// float32. Saves both and its result.
    pub fn distances(&self, a: &Tensor, b: &Tensor) -> Option<Tensor> {
        let (b, a) = (self.cast_up(b), self.cast_up(a));
        let saved = self
            .records(&[&a, &b])
            .then(|| [&a, &b].map(|kept| self.save(kept)));
        let run = || {
            let widened = |x: &Tensor, scaled: bool| {
                let norm = {
                    let square = self.like("pow", x);
                    let mut shape = *x.shape();
                    shape.dims_mut()[x.shape().rank() - 1] = 1;
                    self.reduce("sum", &square, shape, x.dtype())
                };
                let ones = self.like("ones_like", &norm);
                (norm, ones, scaled)
            };
            let first = widened(&a, true);
            let second = widened(&b, false);
            let joined = |x: &Tensor, (norm, ones, scaled): (Tensor, Tensor, bool)| {
                let scaled = scaled.then(|| self.like("mul", x));
                let parts = [scaled.as_ref().unwrap_or(x), &norm, &ones];
                self.cat(&parts, -1)
            };
            let (a, b) = (joined(&a, first), joined(&b, second));
            self.multiplied(&a, &self.transpose(&b, -1, -2))
        };
        let out = self.without_autocast(|| self.unrecorded(run))?;
        let Some(saved) = saved else { return Some(out) };
        let result = self.save(&out.detach());
        let needs = [&a, &b].map(Tensor::requires_grad);
        Some(self.attach(
            &[&a, &b],
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let [a, b] = saved.each_ref().map(|saved| saved.unpack(t));
                let result = result.unpack(t);
                let ratio = t.like("div", g);
                drop(t.elementwise("eq", &[&result], DType::Bool));
                let gradient = |x: &Tensor, other: &Tensor, ratio: &Tensor| {
                    let mut shape = *x.shape();
                    shape.dims_mut()[x.shape().rank() - 1] = 1;
                    let sum = t.reduce("sum", ratio, shape, x.dtype());
                    let scaled = t.like("mul", x);
                    drop(sum);
                    let product = t.multiplied(ratio, other)?;
                    Some(t.elementwise("sub", &[&scaled, &product], x.dtype()))
                };
                let of_a = gradient(&a, &b, &ratio).filter(|_| needs[0]);
                let of_b = gradient(&b, &a, &t.transpose(&ratio, -1, -2)).filter(|_| needs[1]);
                smallvec![of_a, of_b]
            }),
        ))
    }
}

/// Whether all rows of a are multiplied with the matrix b at once (`should_fold`).
fn folds(a: &Tensor, b: &Tensor) -> bool {
    if b.requires_grad() {
        return true;
    }
    let strides = a.strides();
    let (sizes, strides) = (a.shape().dims(), strides.dims());
    let last = sizes.len() - 1;
    (0..last.saturating_sub(1)).all(|d| strides[d] == strides[d + 1] * sizes[d + 1])
}
