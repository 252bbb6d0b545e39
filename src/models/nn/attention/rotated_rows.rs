//! Queries, keys and values whose rows are rotated before heads come before tokens (Llama 4), and
//! queries that are scaled by their positions.
//!
//! Source: transformers 5.23, `models/{llama4,ministral3}/modeling_*.py`.

use super::rotary_pairs;
use crate::nn::build::bare_root_mean_square;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// The treatment of rows `[B, S, heads, D]` of queries and keys.
#[derive(Clone, Copy)]
pub(crate) struct Rows {
    /// Whether positions rotate them.
    pub(crate) rotated: bool,
    /// Whether they are normalized after the rotation.
    pub(crate) normalized: bool,
    /// Whether queries that are not rotated are scaled by their positions.
    pub(crate) scaled: bool,
}

impl Rows {
    /// Queries and keys `[B, S, heads, D]` to `[B, heads, S, D]`, by angles `[B, S, D / 2, 2]`, and
    /// what stays in local variables.
    pub(crate) fn forward(
        self,
        t: &Tape,
        [mut q, mut k]: [Tensor; 2],
        angles: &Tensor,
    ) -> ([Tensor; 2], Vec<Tensor>) {
        let mut held = Vec::new();
        if self.rotated {
            let angles = t.unsqueeze(angles, 2);
            [q, k] = rotary_pairs::apply_complex(t, [&q, &k], &angles, true);
            if self.normalized {
                q = normalized(t, &q);
                k = normalized(t, &k);
            }
        } else if self.scaled {
            let (positions, scales) = scales(t, q.dim(1));
            let wide = t.mul(&q, &t.view(&scales, [1, q.dim(1), 1, 1]));
            q = t.to(&wide, q.dtype());
            held.extend([positions, scales]);
        }
        ([q, k].map(|x| t.transpose(&x, 1, 2)), held)
    }
}

/// `Llama4TextL2Norm`.
fn normalized(t: &Tape, x: &Tensor) -> Tensor {
    let wide = bare_root_mean_square(t, x);
    t.to(&wide, x.dtype())
}

/// Positions `[S]` and the numbers by which they scale queries.
fn scales(t: &Tape, s: u64) -> (Tensor, Tensor) {
    let shape = Shape::from([s]);
    let positions = {
        let range = t.empty("arange", shape, DType::Int64);
        t.add_scalar(&range)
    };
    let scales = t.to(&positions, DType::Float32);
    let ops = ["add", "div", "floor", "log1p", "mul", "add"];
    let scales = one_after_the_other(t, scales, &ops);
    (positions, scales)
}

/// A tensor in float32 after elementwise operations that need no gradient.
fn one_after_the_other(t: &Tape, first: Tensor, ops: &[&'static str]) -> Tensor {
    let next = |x: Tensor, op: &&'static str| t.empty(op, *x.shape(), DType::Float32);
    ops.iter().fold(first, next)
}

/// Queries `[B, heads, S, D]` times numbers by their positions `[S]` or `[B, S]`
/// (`get_llama_4_attn_scale`, `models/ministral3/modeling_ministral3.py`).
pub(crate) fn scaled_by_positions(t: &Tape, q: Tensor, positions: &Tensor) -> Tensor {
    let scales = {
        let ops = ["div", "floor", "add", "log", "mul", "add"];
        let wide = one_after_the_other(t, positions.clone(), &ops);
        t.to(&wide, q.dtype())
    };
    let s = positions.dim(-1);
    let scaled = t.mul(&q, &t.view(&scales, [positions.numel() / s, 1, s, 1]));
    drop(q);
    scaled
}
