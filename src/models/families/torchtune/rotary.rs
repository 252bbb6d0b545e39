//! Rotary positional embeddings (`modules/position_embeddings.py`, `models/llama3_1/_position_embeddings.py`,
//! `models/qwen2/_positional_embeddings.py`, `models/phi3/_position_embeddings.py`).

use crate::families::torchtitan;
use crate::model::{DecoderConfig, RotaryKind};
use crate::nn::build::Builder;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// The embeddings that all layers share.
#[derive(Clone)]
pub(super) struct Rotary {
    /// Cosines and sines of each position: `[P, D / 2, 2]`, or `[P, 2 D]` where halves are rotated.
    cache: Tensor,
    _theta: Option<Tensor>,
    /// Neighbouring columns of a head in float32, its halves (Qwen2), or its halves in float32 (Phi-3).
    kind: RotaryKind,
    /// Whether neighbouring columns are complex numbers (torchtitan), whose table there is alone.
    is_complex: bool,
}

impl Rotary {
    pub(super) fn new(b: &Builder, c: &DecoderConfig) -> Self {
        let kind = c.family.layers.rotary_kind;
        let (rows, columns) = (c.positions, c.head_dim);
        let is_complex = *c.family == torchtitan::LLAMA;
        let cache: Shape = if kind == RotaryKind::WidePairs {
            [rows, columns / 2, 2].into()
        } else {
            [rows, 2 * columns].into()
        };
        Self {
            _theta: (!is_complex).then(|| b.buffer("theta", [columns / 2], DType::Float32)),
            cache: b.buffer("cache", cache, DType::Float32),
            kind,
            is_complex,
        }
    }

    /// Queries or keys `[B, S, heads, D]` to the same, by `positions` `[B, S]` where they are given.
    pub(super) fn forward(&self, t: &Tape, x: &Tensor, positions: Option<&Tensor>) -> Tensor {
        let tokens = x.dim(1);
        let rows = match positions {
            None => t.slice(&self.cache, 0, 0, tokens),
            Some(positions) => {
                let mut shape: Vec<u64> = positions.shape().dims().to_vec();
                shape.extend(&self.cache.shape().dims()[1..]);
                t.take_at(
                    &self.cache,
                    std::slice::from_ref(positions),
                    Shape::new(&shape),
                )
            }
        };
        let samples = rows.numel() / (tokens * self.cache.numel() / self.cache.dim(0));
        if self.is_complex {
            rotated_complex(t, x, &rows)
        } else if self.kind == RotaryKind::WidePairs {
            let pairs = [samples, tokens, 1, x.dim(3) / 2, 2];
            rotated_pairs(t, x, &t.view(&rows, pairs))
        } else {
            let rows = t.view(&rows, [samples, tokens, 1, 2 * x.dim(3)]);
            rotated_halves(t, x, &rows, self.kind == RotaryKind::WideHalves)
        }
    }
}

/// Neighbouring columns with each other, in float32.
fn rotated_pairs(t: &Tape, x: &Tensor, cache: &Tensor) -> Tensor {
    let pairs = {
        let wide = t.to(x, DType::Float32);
        t.reshape(&wide, [x.dim(0), x.dim(1), x.dim(2), x.dim(3) / 2, 2])
    };
    let product = || t.mul(&t.select(&pairs, 4), &t.select(cache, 4));
    let out = {
        let first = {
            let (a, b) = (product(), product());
            t.sub(&a, &b)
        };
        let second = {
            let (a, b) = (product(), product());
            t.add(&a, &b)
        };
        t.stacked(&[&first, &second], 4)
    };
    let out = t.view(&{ out }, *x.shape());
    t.to(&out, x.dtype())
}

/// Neighbouring columns as complex numbers (`apply_rotary_emb`, `models/llama3/model/model.py`, torchtitan 0.2.1).
fn rotated_complex(t: &Tape, x: &Tensor, cache: &Tensor) -> Tensor {
    let pairs = [1, x.dim(1), 1, x.dim(3)];
    let out = {
        let wide = t.to(x, DType::Float32);
        t.mul(&wide, &t.view(cache, pairs))
    };
    t.to(&out, x.dtype())
}

/// The halves of a head's columns with each other; a cosine that stays `wide` widens its product.
fn rotated_halves(t: &Tape, x: &Tensor, cache: &Tensor, wide: bool) -> Tensor {
    let columns = x.dim(3);
    let part = |from, to| {
        let part = t.slice(cache, -1, from, to);
        if wide { part } else { t.to(&part, x.dtype()) }
    };
    let (cos, sin) = (part(0, columns), part(columns, 2 * columns));
    let first = t.slice(x, -1, 0, columns / 2);
    let second = t.slice(x, -1, columns / 2, columns);
    let rotated = {
        let negative = t.neg(&second);
        t.cat(&[&negative, &first], -1)
    };
    let out = {
        let (a, b) = (t.mul(x, &cos), t.mul(&rotated, &sin));
        t.add(&a, &b)
    };
    let narrow = t.to(&out, x.dtype());
    drop((out, rotated, cos, sin));
    narrow
}
