//! `Gemma2Attention` (`models/gemma2/_attention.py`), which writes products, caps and masks out.

use super::attention::{Inputs, Projections};
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// `Gemma2Attention`.
pub(super) struct Gemma2Attention {
    projections: Projections,
    /// Whether the layer sees a window only.
    windowed: bool,
}

impl Gemma2Attention {
    pub(super) fn new(projections: Projections, windowed: bool) -> Self {
        Self {
            projections,
            windowed,
        }
    }

    /// `[B, S, H]` to the same.
    pub(super) fn forward(&self, t: &Tape, x: &Tensor, inputs: &Inputs) -> Tensor {
        let q = t.transpose(&self.projections.queries(t, x, inputs), 1, 2);
        let [k, v] = self.projections.keys_and_values(t, x, inputs);
        let groups = q.dim(1) / k.dim(2);
        let repeated = |x: Tensor| {
            let (b, s, heads, d) = (x.dim(0), x.dim(1), x.dim(2), x.dim(3));
            let one = t.view(&x, [b, s, heads, 1, d]);
            let all = t.reshape(
                &t.expand(&one, [b, s, heads, groups, d]),
                [b, s, heads * groups, d],
            );
            t.transpose(&all, 1, 2)
        };
        let k = repeated(k);
        let v = repeated(v);
        let q = t.scale_in_place(q);
        let mut scores = t.matmul(&q, &t.transpose(&k, 2, 3));
        let mask = self.mask(t, x.dim(1));
        scores = t.div_scalar(&scores);
        scores = t.tanh(&scores);
        scores = t.mul_scalar(&scores);
        scores = t.add(&scores, &mask);
        let weights = {
            let probabilities = {
                let wide = t.to(&scores, DType::Float32);
                t.softmax(&wide, None)
            };
            let weights = t.to(&probabilities, q.dtype());
            drop(scores);
            weights
        };
        let out = t.matmul(&{ weights }, &v);
        let projected = self.projections.projected(t, out);
        drop((q, k, v, mask));
        projected
    }

    /// The bias of scores, `[S, S]` in float32, which each layer makes anew.
    fn mask(&self, t: &Tape, tokens: u64) -> Tensor {
        let square = Shape::from([tokens, tokens]);
        let made = |op, dtype| t.empty(op, square, dtype);
        let mask = {
            // The ones come from the host.
            let ones = made("_to_copy", DType::Bool);
            let mask = made("tril", DType::Bool);
            drop(ones);
            mask
        };
        let mask = {
            let hidden = made("logical_not", DType::Bool);
            let added = made("where", DType::Float32);
            drop((hidden, mask));
            added
        };
        if !self.windowed {
            return mask;
        }
        let ones = made("ones_like", DType::Float32);
        let near = {
            let (upper, lower) = (made("triu", DType::Float32), made("tril", DType::Float32));
            let near = made("mul", DType::Float32);
            drop((upper, lower));
            near
        };
        let seen = made("eq", DType::Bool);
        let masked = made("where", DType::Float32);
        drop((seen, mask, ones, near));
        masked
    }
}
