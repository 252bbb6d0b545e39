//! `scaled_dot_product_attention` written out in PyTorch operations.

use super::Sdpa;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

impl Tape {
    /// `_scaled_dot_product_attention_math` (`aten/src/ATen/native/transformers/attention.cpp`,
    /// torch 2.15): halves are computed in float32, groups of keys and values are repeated.
    pub(super) fn math_attention(
        &self,
        q: &Tensor,
        k: &Tensor,
        v: &Tensor,
        mask: Option<&Tensor>,
        options: Sdpa,
    ) -> Tensor {
        let dtype = q.dtype();
        let mask = mask.map(|mask| self.additive_mask(mask, dtype));
        let (q, k, v) = (
            self.to(q, DType::Float32),
            self.to(k, DType::Float32),
            self.to(v, DType::Float32),
        );
        let scaled_q = self.mul_scalar(&q);
        let mask = mask.or_else(|| options.causal.then(|| self.causal_mask(q.dim(2), k.dim(2))));
        let groups = if options.grouped {
            q.dim(1) / k.dim(1)
        } else {
            1
        };
        let (keys, values) = (
            self.repeat_groups(&k, groups),
            self.repeat_groups(&v, groups),
        );
        let weights = {
            let transposed = self.transpose(&keys, 2, 3);
            let scaled_k = self.mul_scalar(&transposed);
            let mut scores = self.matmul(&scaled_q, &scaled_k);
            drop(scaled_k);
            if let Some(mask) = &mask {
                scores = self.add_in_place(scores, mask);
            }
            let weights = self.safe_softmax(&scores);
            drop(scores);
            if options.dropout {
                self.dropout(&weights)
            } else {
                weights
            }
        };
        // The weights in the caller's dtype are a second result, made before the first.
        let _narrow = self.to(&weights.detach(), dtype);
        let out = self.matmul(&weights, &values);
        self.to(&out, dtype)
    }

    /// `torch.ones(S, T).tril()` as an additive mask in float32.
    fn causal_mask(&self, queries: u64, keys: u64) -> Tensor {
        let square = Shape::from([queries, keys]);
        let ones = self.empty("ones", square, DType::Bool);
        let triangle = self.empty("tril", square, DType::Bool);
        drop(ones);
        self.additive_mask(&triangle, DType::Float32)
    }

    /// `repeat_interleave` of dimension 1.
    fn repeat_groups(&self, x: &Tensor, groups: u64) -> Tensor {
        if groups == 1 {
            return x.clone();
        }
        let (b, k, s, d) = (x.dim(0), x.dim(1), x.dim(2), x.dim(3));
        let unsqueezed = self.unsqueeze(x, 2);
        let expanded = self.expand(&unsqueezed, [b, k, groups, s, d]);
        let copy = self.clone_contiguous(&expanded);
        self.view(&copy, [b, k * groups, s, d])
    }

    /// `_safe_softmax(x, -1)`: rows that are masked whole become zeros.
    fn safe_softmax(&self, x: &Tensor) -> Tensor {
        const OP: &str = "_safe_softmax";
        let out = self.empty("_softmax", *x.shape(), x.dtype());
        {
            let equal = self.empty(OP, *x.shape(), DType::Bool);
            let mut rows = *x.shape();
            let last = rows.rank() - 1;
            rows.dims_mut()[last] = 1;
            let _all = self.empty(OP, rows, DType::Bool);
            drop(self.empty("scalar_tensor", Shape::new(&[]), x.dtype()));
            drop(equal);
        }
        self.softmax_node(x, out)
    }
}
