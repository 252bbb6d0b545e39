//! `torch.matmul` of any tensors, and `torch.einsum` of two.

use crate::tape::{Tape, Tensor};
use crate::units::Shape;
use smallvec::SmallVec;

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
        let mut batch: Sizes = smallvec::smallvec![1; rank];
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
