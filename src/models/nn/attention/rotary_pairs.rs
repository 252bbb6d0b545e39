//! Rotary position embeddings that rotate neighbouring columns of a head
//! (`models/{deepseek_v2,deepseek_v3,cohere,helium,glm,gpt_oss}/modeling_*.py` of transformers 5.23).

use super::rotary::Rotary;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// `apply_rotary_pos_emb_interleave` for q and k `[B, heads, S, D]`; cosines and sines `[1, S, D]`.
pub(crate) fn apply_to_pairs(
    t: &Tape,
    q: &Tensor,
    k: &Tensor,
    cos: &Tensor,
    sin: &Tensor,
) -> (Tensor, Tensor) {
    apply_to_pairs_along(t, [q, k], [cos, sin], 1)
}

/// Rotates pairs of both, whose heads are dimension `heads`.
pub(crate) fn apply_to_pairs_along(
    t: &Tape,
    [q, k]: [&Tensor; 2],
    [cos, sin]: [&Tensor; 2],
    heads: usize,
) -> (Tensor, Tensor) {
    let half = |x: &Tensor| t.unsqueeze(&t.slice(x, -1, 0, x.dim(-1) / 2), heads);
    let (cos, sin) = (half(cos), half(sin));
    let [q, k] = [q, k].map(|x| [t.every_second(x, -1), t.every_second(x, -1)]);
    (
        rotated_parts(t, &q, &cos, &sin),
        rotated_parts(t, &k, &cos, &sin),
    )
}

/// `_apply_rotary_emb` of gpt-oss for queries or keys `[B, heads, S, D]`: cosines and sines
/// `[1, S, D / 2]` rotate both halves of a head.
pub(crate) fn apply_to_halves(t: &Tape, x: &Tensor, cos: &Tensor, sin: &Tensor) -> Tensor {
    let (cos, sin) = (t.unsqueeze(cos, 1), t.unsqueeze(sin, 1));
    let halves = t.split(x, [x.dim(-1) / 2; 2], -1);
    rotated_parts(t, &halves, &cos, &sin)
}

/// Both parts of a head's columns rotated with each other, one beside the other.
fn rotated_parts(t: &Tape, [even, odd]: &[Tensor; 2], cos: &Tensor, sin: &Tensor) -> Tensor {
    let first = {
        let straight = t.mul(even, cos);
        let rotated = t.mul(odd, sin);
        t.sub(&straight, &rotated)
    };
    let second = {
        let straight = t.mul(odd, cos);
        let rotated = t.mul(even, sin);
        t.add(&straight, &rotated)
    };
    t.cat(&[&first, &second], -1)
}

/// `apply_rotary_pos_emb` of Helium for queries and keys `[B, heads, S, D]`: cosines and sines
/// `[1, S, D]` are spread over neighbouring columns first.
pub(crate) fn apply_neighbours(
    t: &Tape,
    both: [&Tensor; 2],
    cos: &Tensor,
    sin: &Tensor,
) -> [Tensor; 2] {
    let (cos, sin) = (spread(t, cos), spread(t, sin));
    both.map(|x| rotate(t, x, &cos, &sin))
}

/// `apply_rotary_pos_emb` of GLM: cosines and sines `[1, S, R]` are those of the first R columns; the other columns are
/// concatenated to the rotated ones, even if there are none.
pub(crate) fn apply_first_neighbours(
    t: &Tape,
    both: [&Tensor; 2],
    cos: &Tensor,
    sin: &Tensor,
) -> [Tensor; 2] {
    let (cos, sin) = (spread(t, cos), spread(t, sin));
    let columns = cos.dim(-1);
    let first = both.map(|x| t.slice(x, -1, 0, columns));
    let rest = both.map(|x| t.slice(x, -1, columns, x.dim(-1)));
    let [q, k] = first.each_ref().map(|x| rotate(t, x, &cos, &sin));
    let whole_q = t.cat(&[&q, &rest[0]], -1);
    drop(q);
    [whole_q, t.cat(&[&k, &rest[1]], -1)]
}

/// `x[..., : R / 2].repeat_interleave(2, dim=-1)` of cosines or sines `[1, S, R]`, for all heads.
fn spread(t: &Tape, x: &Tensor) -> Tensor {
    t.empty("clone", *t.unsqueeze(x, 1).shape(), x.dtype())
}

/// `apply_rotary_pos_emb` of Cohere for queries and keys `[B, heads, S, D]`: in float32.
pub(crate) fn apply_wide(t: &Tape, both: [&Tensor; 2], cos: &Tensor, sin: &Tensor) -> [Tensor; 2] {
    let wide = both.map(|x| t.to(x, DType::Float32));
    let (cos, sin) = (t.unsqueeze(cos, 1), t.unsqueeze(sin, 1));
    let rotated = wide.each_ref().map(|x| rotate(t, x, &cos, &sin));
    let narrow = rotated.each_ref().map(|x| t.to(x, both[0].dtype()));
    drop(wide);
    narrow
}

/// `apply_rotary_pos_emb` of ERNIE 4.5 for queries and keys `[B, heads, S, D]`: in float32, by cosines
/// and sines that are.
pub(crate) fn apply_wide_neighbours(
    t: &Tape,
    both: [&Tensor; 2],
    cos: &Tensor,
    sin: &Tensor,
) -> [Tensor; 2] {
    let (cos, sin) = (spread(t, cos), spread(t, sin));
    let rotated = both.map(|x| turn_as(t, x, DType::Float32, &cos, &sin));
    rotated.each_ref().map(|x| t.to(x, both[0].dtype()))
}

/// x times cosines and its neighbouring columns, exchanged, times sines.
fn rotate(t: &Tape, x: &Tensor, cos: &Tensor, sin: &Tensor) -> Tensor {
    turn_as(t, x, x.dtype(), cos, sin)
}

/// Rotates where columns are cast before each product.
fn turn_as(t: &Tape, x: &Tensor, dtype: DType, cos: &Tensor, sin: &Tensor) -> Tensor {
    let straight = t.mul(&t.to(x, dtype), cos);
    let rotated = {
        let exchanged = exchanged(t, [x, x]);
        t.mul(&t.to(&exchanged, dtype), sin)
    };
    t.add(&straight, &rotated)
}

/// `apply_rotary_position_embeddings` of `RoFormer` for queries, keys and, where they are given, values
/// `[B, heads, S, D]`: sines and cosines are the halves of `[1, 1, S, D]`.
pub(crate) fn apply_joined(
    t: &Tape,
    [q, k]: [&Tensor; 2],
    v: Option<&Tensor>,
    positions: &Tensor,
) -> ([Tensor; 2], Option<Tensor>) {
    let [sin, cos] = t
        .split(positions, [positions.dim(-1) / 2; 2], -1)
        .map(|x| t.view(&t.stack_last(&[&x, &x], 2), *positions.shape()));
    let rotated = |x: &Tensor| {
        let exchanged = exchanged(t, [x, x]);
        let sum = t.add(&t.mul(x, &cos), &t.mul(&exchanged, &sin));
        (sum, exchanged)
    };
    let (q, k, v) = (rotated(q), rotated(k), v.map(rotated));
    let (v, exchanged) = v.unzip();
    drop((q.1, k.1, exchanged));
    ([q.0, k.0], v)
}

/// A tensor, given twice, with neighbouring columns exchanged, the second ones negative.
pub(crate) fn exchanged(t: &Tape, both: [&Tensor; 2]) -> Tensor {
    let [first, second] = both.map(|x| t.every_second(x, -1));
    let negative = t.neg(&second);
    let pairs = t.stack_last(&[&negative, &first], 2);
    t.view(&pairs, *both[0].shape())
}

/// The first columns of all pairs of `[B, heads, S, D]` before the second ones: a copy (transformers
/// 4.51, which then rotates halves).
pub(crate) fn halved(t: &Tape, x: &Tensor) -> Tensor {
    let (b, heads, s, d) = (x.dim(0), x.dim(1), x.dim(2), x.dim(3));
    let pairs = t.view(x, [b, heads, s, d / 2, 2]);
    t.reshape(&t.transpose(&pairs, 4, 3), [b, heads, s, d])
}

/// The angles of `positions` as complex numbers, pairs in float32 `[B, S, D / 2, 2]`.
pub(crate) fn complex(t: &Tape, rotary: &Rotary, positions: &Tensor) -> Tensor {
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
    let rotated = {
        let _ones = t.empty("ones_like", shape, DType::Float32);
        pairs("polar")
    };
    let scaled = pairs("mul");
    drop((rotated, angles));
    scaled
}

/// `apply_rotary_emb` for q and k `[B, heads, S, D]`, or heads and tokens in the other order, by angles
/// `[B, 1, S, D / 2, 2]` in the same. Both are cast back at the end, or each at once.
pub(crate) fn apply_complex(
    t: &Tape,
    both: [&Tensor; 2],
    angles: &Tensor,
    at_end: bool,
) -> [Tensor; 2] {
    let pairs = |x: &Tensor| {
        let wide = t.to(x, DType::Float32);
        let (b, heads, s, d) = (x.dim(0), x.dim(1), x.dim(2), x.dim(3));
        t.reshape(&wide, [b, heads, s, d / 2, 2])
    };
    let wide = both.map(pairs);
    let rotated = |i: usize| {
        let product = t.view_as_real(&t.rotate_complex(&wide[i], angles));
        t.reshape(&product, *both[i].shape())
    };
    let cast = |i: usize, x: &Tensor| t.to(x, both[i].dtype());
    if at_end {
        let rotated = [rotated(0), rotated(1)];
        drop(wide);
        let [q, k] = rotated;
        let narrow = [cast(0, &q), cast(1, &k)];
        drop((q, k));
        return narrow;
    }
    let q = cast(0, &rotated(0));
    let k = cast(1, &rotated(1));
    drop(wide);
    [q, k]
}
