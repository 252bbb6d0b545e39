//! Rotary position embeddings that turn neighbouring columns of a head
//! (`models/deepseek_{v2,v3}/modeling_*.py` of transformers 5.23).

use super::rotary::Rotary;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// `apply_rotary_pos_emb_interleave` for q and k `[B, heads, S, D]`; cosines and sines `[1, S, D]`.
pub(super) fn apply_to_pairs(
    t: &Tape,
    q: &Tensor,
    k: &Tensor,
    cos: &Tensor,
    sin: &Tensor,
) -> (Tensor, Tensor) {
    let half = |x: &Tensor| t.unsqueeze(&t.slice(x, -1, 0, x.dim(-1) / 2), 1);
    let (cos, sin) = (half(cos), half(sin));
    let [q, k] = [q, k].map(|x| [t.every_second(x), t.every_second(x)]);
    let turned = |[even, odd]: &[Tensor; 2]| {
        let first = {
            let straight = t.mul(even, &cos);
            let turned = t.mul(odd, &sin);
            t.sub(&straight, &turned)
        };
        let second = {
            let straight = t.mul(odd, &cos);
            let turned = t.mul(even, &sin);
            t.add(&straight, &turned)
        };
        t.cat(&[&first, &second], -1)
    };
    (turned(&q), turned(&k))
}

/// The angles of `positions` as complex numbers, pairs in float32 `[B, S, D / 2, 2]`.
pub(super) fn complex(t: &Tape, rotary: &Rotary, positions: &Tensor) -> Tensor {
    let s = positions.dim(-1);
    let shape = Shape::from([positions.numel() / s, s, rotary.dim() / 2]);
    let angles = {
        let _real = t.to(positions, DType::Float32);
        t.empty("mul", shape, DType::Float32)
    };
    let pairs = |op| {
        let dims = [shape.dim(0), shape.dim(1), shape.dim(2), 2];
        t.empty(op, Shape::from(dims), DType::Float32)
    };
    let turned = {
        let _ones = t.empty("ones_like", shape, DType::Float32);
        pairs("polar")
    };
    let scaled = pairs("mul");
    drop((turned, angles));
    scaled
}

/// `apply_rotary_emb` for q and k `[B, heads, S, D]` by angles `[B, S, D / 2, 2]`.
pub(super) fn apply_complex(t: &Tape, q: &Tensor, k: &Tensor, angles: &Tensor) -> (Tensor, Tensor) {
    let pairs = |x: &Tensor| {
        let wide = t.to(x, DType::Float32);
        let (b, heads, s, d) = (x.dim(0), x.dim(1), x.dim(2), x.dim(3));
        t.reshape(&wide, [b, heads, s, d / 2, 2])
    };
    let (wide_q, wide_k) = (pairs(q), pairs(k));
    let angles = t.unsqueeze(angles, 1);
    let turned = |wide: &Tensor, x: &Tensor| {
        let product = t.view_as_real(&t.rotate_complex(wide, &angles));
        t.to(&t.reshape(&product, *x.shape()), x.dtype())
    };
    let q = turned(&wide_q, q);
    let k = turned(&wide_k, k);
    drop((wide_q, wide_k));
    (q, k)
}
