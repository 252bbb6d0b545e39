//! Biases on attention scores that grow with distance (`build_alibi_tensor`, as BLOOM and Falcon
//! write it).

use crate::nn::masks::BatchShape;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// The biases that are asked for: `[B x A, 1, S]`.
#[derive(Clone, Copy)]
pub(crate) struct Alibi {
    /// B and S.
    pub(crate) size: BatchShape,
    /// A.
    pub(crate) heads: u64,
    /// Whether slopes are rounded to bfloat16 first, as Falcon's are.
    pub(crate) narrow_slopes: bool,
    /// Whether slopes are made by a function of their own (BLOOM since transformers 5).
    pub(crate) apart: bool,
    /// The dtype of the hidden states.
    pub(crate) dtype: DType,
}

impl Alibi {
    /// A slope for each head, `[A]` in float32, with what stays in local variables meanwhile.
    fn slopes(self, t: &Tape) -> (Tensor, Vec<Tensor>) {
        let heads = self.heads;
        let number = || t.empty("full", Shape::new(&[]), DType::Float32);
        let powers = |n| t.empty("arange", Shape::from([n]), DType::Int32);
        let slope = |n| t.empty("pow", Shape::from([n]), DType::Float32);
        let whole = 1 << heads.max(1).ilog2();
        let mut locals = vec![number(), powers(whole)];
        let first = slope(whole);
        if whole == heads {
            return (first, locals);
        }
        let rest = whole.min(heads - whole);
        locals.extend([number(), powers(rest)]);
        let second = slope(rest);
        (t.cat(&[&first, &second], 0), locals)
    }

    /// From a mask `[B, S]` of tokens that are no padding, of a dtype.
    pub(crate) fn of_mask(self, t: &Tape, mask: DType) -> Tensor {
        let BatchShape { b, s } = self.size;
        let row = |op| t.empty(op, Shape::from([b, s]), mask);
        let (slopes, mut locals) = self.slopes(t);
        if self.apart {
            locals.clear();
        }
        let _positions = {
            let shifted = {
                let _sum = t.cumsum(Shape::from([b, s]), mask);
                row("sub")
            };
            let positions = row("mul");
            drop(shifted);
            positions
        };
        let wide = {
            let slopes = if self.narrow_slopes {
                t.to(&slopes, DType::BFloat16)
            } else {
                slopes.clone()
            };
            t.empty("mul", Shape::from([b * self.heads, 1, s]), slopes.dtype())
        };
        t.to(&wide, self.dtype)
    }

    /// Of a sequence without padding, with the slopes, as BLOOM makes it since transformers 5.
    pub(crate) fn of_length(self, t: &Tape) -> (Tensor, Option<Tensor>) {
        let BatchShape { b, s } = self.size;
        let (slopes, locals) = self.slopes(t);
        drop(locals);
        let float = |op, rows| t.empty(op, Shape::from([rows, 1, s]), DType::Float32);
        // The biases of one sample are a local variable until the biases of all samples are computed.
        let one = {
            let _range = t.empty("arange", Shape::from([s]), DType::Int64);
            float("mul", self.heads)
        };
        let all = {
            let wide = float("repeat", b * self.heads);
            t.to(&wide, self.dtype)
        };
        drop(one);
        (all, Some(slopes))
    }
}
