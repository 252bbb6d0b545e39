//! Rotary position embeddings.

use super::attend::in_heads;
use crate::model::{Grids, Transformers};
use crate::nn::build::{Builder, Facts, Linear};
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// `LlamaRotaryEmbedding`: cosines and sines `[1, S, D]`. transformers 4.48 takes both and then
/// scales both, 4.51 one after the other; 5 shifts positions by the length of the cache, takes the
/// angles as an elementwise product and keeps the original frequencies as a second buffer.
pub(crate) struct Rotary {
    /// The inverse frequencies `[D / 2]` and, since transformers 5, a second copy of them.
    inverse_frequencies: Vec<Tensor>,
    dim: u64,
    /// Whether there is a cosine for each pair of columns, not for each column.
    by_pair: bool,
    /// Whether frequencies are made on the host each time, for the largest position
    /// (`PhimoeRotaryEmbedding`).
    remade: bool,
    /// How angles of three positions become those of a token.
    grids: Grids,
    version: Transformers,
}

impl Rotary {
    pub(crate) fn new(b: &Builder, dim: u64, facts: Facts) -> Self {
        let mut frequencies = vec![b.buffer("inv_freq", [dim / 2], DType::Float32)];
        if facts.transformers == Transformers::V5 {
            frequencies.push(b.buffer("original_inv_freq", [dim / 2], DType::Float32));
        }
        Self::of(frequencies, dim, facts)
    }

    /// Rotary embeddings without the second copy (ESM).
    pub(crate) fn alone(b: &Builder, dim: u64, facts: Facts) -> Self {
        let frequencies = vec![b.buffer("inv_freq", [dim / 2], DType::Float32)];
        Self::of(frequencies, dim, facts)
    }

    fn of(frequencies: Vec<Tensor>, dim: u64, facts: Facts) -> Self {
        Self {
            inverse_frequencies: frequencies,
            dim,
            by_pair: false,
            remade: false,
            grids: Grids::None,
            version: facts.transformers,
        }
    }

    /// Gives a cosine and a sine for each pair of columns if `by_pair` says so: `[1, S, D / 2]`.
    pub(crate) fn by_pair(self, by_pair: bool) -> Self {
        Self { by_pair, ..self }
    }

    /// Makes frequencies each time if `remade` says so.
    pub(crate) fn remade(self, remade: bool) -> Self {
        Self { remade, ..self }
    }

    /// Has angles for each of three positions as `grids` says.
    pub(crate) fn in_grids(self, grids: Grids) -> Self {
        Self { grids, ..self }
    }

    /// Columns that are rotated, D.
    pub(crate) fn dim(&self) -> u64 {
        self.dim
    }

    /// Cosines and sines of `positions` `[S]` or `[B, S]`, in `dtype`.
    pub(crate) fn forward(&self, t: &Tape, positions: &Tensor, dtype: DType) -> (Tensor, Tensor) {
        let s = positions.dim(-1);
        let b = positions.numel() / s;
        if self.grids != Grids::None {
            return self.of_grids(t, [b, s], dtype);
        }
        let length = self.remade.then(|| {
            let number = |op| t.empty(op, Shape::new(&[]), DType::Int64);
            let _last = number("max");
            number("add")
        });
        let mut real = Some(t.to(positions, DType::Float32));
        // Frequencies in a low precision are widened.
        let stored = self.inverse_frequencies[0].dtype();
        let mut widened = (stored != DType::Float32)
            .then(|| t.empty("_to_copy", Shape::from([self.dim / 2]), DType::Float32));
        let copied =
            (self.remade).then(|| t.empty("_to_copy", Shape::from([self.dim / 2]), DType::Float32));
        let shape = Shape::from([b, s, self.dim / 2]);
        let angles = if self.version == Transformers::V5 {
            t.empty("mul", shape, DType::Float32)
        } else {
            t.product("bmm", (shape, 1), DType::Float32)
        };
        if self.version == Transformers::V5 {
            real = None;
            widened = None;
        }
        drop(copied);
        let both = if self.by_pair {
            angles.clone()
        } else {
            t.cat(&[&angles, &angles], -1)
        };
        let (cos, sin) = if self.version == Transformers::V448 {
            let cos = t.trigonometric("cos", &both);
            let sin = t.trigonometric("sin", &both);
            let scaled = t.mul_scalar(&cos);
            drop(cos);
            (scaled, t.mul_scalar(&sin))
        } else {
            let scaled = |op| {
                let values = t.trigonometric(op, &both);
                t.mul_scalar(&values)
            };
            (scaled("cos"), scaled("sin"))
        };
        let result = (t.to(&cos, dtype), t.to(&sin, dtype));
        drop((real, length, widened));
        drop((angles, both, cos, sin));
        result
    }

    /// Angles of three positions of each token, of which each gives a part: `[B, S, D]`.
    fn of_grids(&self, t: &Tape, [b, s]: [u64; 2], dtype: DType) -> (Tensor, Tensor) {
        let wide = |op, columns| t.empty(op, Shape::from([3, b, s, columns]), DType::Float32);
        let angles = {
            let _real = wide("_to_copy", 1);
            wide("mul", self.dim / 2)
        };
        let scaled = |op| {
            let values = t.trigonometric(op, &angles);
            t.mul_scalar(&values)
        };
        let (cos, sin) = (scaled("cos"), scaled("sin"));
        let composed = |x: Tensor| {
            if self.grids == Grids::Sections {
                let half = t.empty("cat", Shape::from([b, s, self.dim / 2]), x.dtype());
                let whole = t.cat(&[&half, &half], -1);
                drop(half);
                return whole;
            }
            let first = t.slice(&x, 0, 0, 1);
            t.view(&t.cat(&[&first, &first], -1), [b, s, self.dim])
        };
        let sin = composed(sin);
        let cos = composed(cos);
        (t.to(&cos, dtype), t.to(&sin, dtype))
    }
}

/// `apply_rotary_pos_emb` for one of q and k `[B, heads, S, D]`; cosines and sines `[1, S, D]`.
pub(crate) fn apply(t: &Tape, x: &Tensor, cos: &Tensor, sin: &Tensor) -> Tensor {
    apply_along(t, x, [cos, sin], 1)
}

/// Queries, keys and values of `[B, S, H]`, `[B, heads, S, head_dim]` each, the first two of them rotated
/// by cosines and sines.
pub(crate) fn rotated_heads(
    t: &Tape,
    x: &Tensor,
    projections: [&Linear; 3],
    head_dim: u64,
    [cos, sin]: [&Tensor; 2],
) -> [Tensor; 3] {
    let [q, k, v] = projections.map(|layer| in_heads(t, &layer.forward(t, x), head_dim));
    let rotated = [&q, &k].map(|x| apply(t, x, cos, sin));
    drop((q, k));
    let [q, k] = rotated;
    [q, k, v]
}

/// [`apply`] the other way round (nanochat).
pub(crate) fn apply_backwards(t: &Tape, x: &Tensor, cos: &Tensor, sin: &Tensor) -> Tensor {
    apply_by(t, x, [cos, sin], 1, |t, [first, second]| {
        let negative = t.neg(first);
        t.cat(&[second, &negative], -1)
    })
}

/// Rotates x, whose heads are dimension `heads`.
pub(crate) fn apply_along(t: &Tape, x: &Tensor, angles: [&Tensor; 2], heads: usize) -> Tensor {
    apply_by(t, x, angles, heads, half_rotated)
}

fn apply_by(
    t: &Tape,
    x: &Tensor,
    [cos, sin]: [&Tensor; 2],
    heads: usize,
    rotate: fn(&Tape, [&Tensor; 2]) -> Tensor,
) -> Tensor {
    let cos = t.unsqueeze(cos, heads);
    let sin = t.unsqueeze(sin, heads);
    let straight = t.mul(x, &cos);
    let rotated = {
        let half = rotate_half(t, x, rotate);
        t.mul(&half, &sin)
    };
    t.add(&straight, &rotated)
}

/// Rotates both, computed in float32 and cast back, with cosines and sines in any dtype.
pub(crate) fn apply_in_float32(
    t: &Tape,
    both: [&Tensor; 2],
    cos: &Tensor,
    sin: &Tensor,
) -> [Tensor; 2] {
    let (cos, sin) = (t.unsqueeze(cos, 1), t.unsqueeze(sin, 1));
    let wide = |x: &Tensor| t.to(x, DType::Float32);
    let rotated = both.map(|x| {
        let straight = t.mul(&wide(x), &cos);
        let rotated = {
            let half = rotate_half(t, &wide(x), half_rotated);
            t.mul(&half, &sin)
        };
        t.add(&straight, &rotated)
    });
    let [q, k] = &rotated;
    [t.to(q, both[0].dtype()), t.to(k, both[1].dtype())]
}

fn rotate_half(t: &Tape, x: &Tensor, rotate: fn(&Tape, [&Tensor; 2]) -> Tensor) -> Tensor {
    let d = x.dim(-1);
    let first = t.slice(x, -1, 0, d / 2);
    let second = t.slice(x, -1, d / 2, d);
    rotate(t, [&first, &second])
}

fn half_rotated(t: &Tape, [first, second]: [&Tensor; 2]) -> Tensor {
    let negative = t.neg(second);
    t.cat(&[&negative, first], -1)
}
