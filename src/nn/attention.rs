//! Attention as transformers writes it, and rotary position embeddings.

use super::builder::Builder;
use super::facts::Facts;
use crate::spec::{Attention, ResolvedSpec, SdpaBackend};
use crate::tape::{SdpaKernel, SdpaMask, Tape, Tensor};
use crate::units::{DType, Shape};

/// How scores are computed.
#[derive(Clone, Copy)]
pub(super) struct AttentionOptions {
    pub(super) implementation: Attention,
    pub(super) forced: Option<SdpaKernel>,
    pub(super) facts: Facts,
}

impl AttentionOptions {
    pub(super) fn of(spec: &ResolvedSpec, facts: Facts) -> Self {
        let forced = spec.sdpa_backend.map(|backend| match backend {
            SdpaBackend::Flash => SdpaKernel::Flash,
            SdpaBackend::Efficient => SdpaKernel::Efficient,
            SdpaBackend::Math => SdpaKernel::Math,
        });
        Self {
            implementation: spec.attention,
            forced,
            facts,
        }
    }
}

/// `eager_attention_forward` or `sdpa_attention_forward`: q `[B, A, S, D]`, k and v `[B, K, S, D]`
/// to `[B, S, A, D]`.
pub(super) fn attend(
    t: &Tape,
    options: AttentionOptions,
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    mask: Option<&Tensor>,
) -> Tensor {
    if options.implementation == Attention::Eager {
        return eager(t, q, k, v, mask);
    }
    let groups = q.dim(1) / k.dim(1);
    let repeat = groups > 1 && (mask.is_some() || !options.facts.sdpa_takes_groups);
    let (k, v) = if repeat {
        (repeat_kv(t, k, groups), repeat_kv(t, v, groups))
    } else {
        (k.clone(), v.clone())
    };
    let (q, k, v) = if options.facts.sdpa_inputs_contiguous {
        (t.contiguous(q), t.contiguous(&k), t.contiguous(&v))
    } else {
        (q.clone(), k, v)
    };
    let mask = mask.map_or(SdpaMask::Causal, SdpaMask::Bool);
    let out = t.sdpa(&q, &k, &v, &mask, options.forced);
    let out = t.transpose(&out, 1, 2);
    t.contiguous(&out)
}

/// `repeat_kv`: `[B, K, S, D]` to `[B, K x groups, S, D]`.
pub(super) fn repeat_kv(t: &Tape, x: &Tensor, groups: u64) -> Tensor {
    if groups == 1 {
        return x.clone();
    }
    let (b, k, s, d) = (x.dim(0), x.dim(1), x.dim(2), x.dim(3));
    let expanded = {
        let unsqueezed = t.unsqueeze(x, 2);
        t.expand(&unsqueezed, Shape::from([b, k, groups, s, d]))
    };
    t.reshape(&expanded, [b, k * groups, s, d])
}

fn eager(t: &Tape, q: &Tensor, k: &Tensor, v: &Tensor, mask: Option<&Tensor>) -> Tensor {
    let groups = q.dim(1) / k.dim(1);
    let k = repeat_kv(t, k, groups);
    let v = repeat_kv(t, v, groups);
    let mut weights = {
        let scores = t.matmul(q, &t.transpose(&k, 2, 3));
        t.mul_scalar(&scores)
    };
    if let Some(mask) = mask {
        weights = t.add(&weights, mask);
    }
    let dtype = q.dtype();
    weights = t.softmax(&weights, Some(DType::Float32));
    weights = t.to(&weights, dtype);
    let out = t.matmul(&weights, &v);
    let out = t.transpose(&out, 1, 2);
    t.contiguous(&out)
}

/// The rotary embedding's cosines and sines `[1, S, D]`.
pub(super) struct Rotary {
    /// Copies of the inverse frequencies `[D / 2]`, which the module keeps.
    _inverse_frequencies: [Tensor; 2],
    dim: u64,
}

impl Rotary {
    pub(super) fn new(b: &Builder, dim: u64) -> Self {
        let copy = |name| b.buffer(name, [dim / 2], DType::Float32);
        Self {
            _inverse_frequencies: [copy("inv_freq"), copy("original_inv_freq")],
            dim,
        }
    }

    /// Cosines and sines of `positions` `[1, S]`, in `dtype`.
    pub(super) fn forward(&self, t: &Tape, positions: &Tensor, dtype: DType) -> (Tensor, Tensor) {
        let s = positions.numel();
        let angles = {
            let positions = t.to(positions, DType::Float32);
            let _ = &positions;
            t.empty("mul", Shape::from([1, s, self.dim / 2]), DType::Float32)
        };
        let both = t.cat(&[&angles, &angles], -1);
        let scaled = |op| {
            let values = t.trigonometric(op, &both);
            t.mul_scalar(&values)
        };
        let cos = scaled("cos");
        let sin = scaled("sin");
        (t.to(&cos, dtype), t.to(&sin, dtype))
    }
}

/// `apply_rotary_pos_emb`: q and k `[B, heads, S, D]`, cosines and sines `[1, S, D]`.
pub(super) fn apply_rotary(t: &Tape, x: &Tensor, cos: &Tensor, sin: &Tensor) -> Tensor {
    let cos = t.unsqueeze(cos, 1);
    let sin = t.unsqueeze(sin, 1);
    let straight = t.mul(x, &cos);
    let turned = {
        let half = rotate_half(t, x);
        t.mul(&half, &sin)
    };
    t.add(&straight, &turned)
}

fn rotate_half(t: &Tape, x: &Tensor) -> Tensor {
    let d = x.dim(-1);
    let first = t.slice(x, -1, 0, d / 2);
    let second = t.slice(x, -1, d / 2, d);
    let negative = t.neg(&second);
    t.cat(&[&negative, &first], -1)
}
