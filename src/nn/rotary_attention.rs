//! Attention with separate projections of queries, keys and values and rotary positions.

use super::attention::{AttentionOptions, attend_with_weights};
use super::builder::Builder;
use super::causal::Shared;
use super::layer::Parts;
use super::layers::Linear;
use super::norm::{Norm, NormKind};
use super::rotary;
use crate::spec::DecoderConfig;
use crate::tape::{Tape, Tensor};

/// Where queries and keys are normalized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HeadNorm {
    /// Nowhere.
    None,
    /// Each head, after the heads are parted.
    Heads(NormKind),
    /// Each head, after the heads are parted and before they are transposed.
    Rows(NormKind),
    /// All heads at once, before they are parted.
    Whole(NormKind),
}

/// How positions turn queries and keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// The halves of a head's columns with each other.
    Halves,
    /// The same in float32, cast back.
    WideHalves,
}

/// `q_proj`, `k_proj`, `v_proj`, `o_proj` and the norms of queries and keys.
pub(super) struct RotaryAttention {
    projections: [Linear; 3],
    o_proj: Linear,
    norms: Option<[Norm; 2]>,
    style: HeadNorm,
    turn: Turn,
    head_dim: u64,
    options: AttentionOptions,
}

impl RotaryAttention {
    pub(super) fn new(
        b: &Builder,
        c: &DecoderConfig,
        options: AttentionOptions,
        parts: Parts,
    ) -> Self {
        let (queries, keys) = (
            c.num_attention_heads * c.head_dim,
            c.num_key_value_heads * c.head_dim,
        );
        let bias = c.attention_bias || c.qkv_bias;
        let projections = [("q_proj", queries), ("k_proj", keys), ("v_proj", keys)]
            .map(|(name, outputs)| Linear::new(&b.at(name), c.hidden_size, outputs, bias));
        let o_proj = Linear::new(&b.at("o_proj"), queries, c.hidden_size, c.attention_bias);
        let norms = |kind, sizes: [u64; 2]| {
            [
                Norm::new(&b.at("q_norm"), kind, sizes[0]),
                Norm::new(&b.at("k_norm"), kind, sizes[1]),
            ]
        };
        let norms = match parts.head_norm {
            HeadNorm::None => None,
            HeadNorm::Heads(kind) | HeadNorm::Rows(kind) => Some(norms(kind, [c.head_dim; 2])),
            HeadNorm::Whole(kind) => Some(norms(kind, [queries, keys])),
        };
        Self {
            projections,
            o_proj,
            norms,
            style: parts.head_norm,
            turn: parts.turn,
            head_dim: c.head_dim,
            options,
        }
    }

    /// `[B, S, H]` to the same, with eager attention's weights, which the layer holds.
    pub(super) fn forward(
        &self,
        t: &Tape,
        x: &Tensor,
        shared: &Shared,
    ) -> (Tensor, Option<Tensor>) {
        let [q, k, v] = self.heads(t, x);
        let (turned_q, turned_k) = if self.options.liger_rope {
            let [q, k] = t.liger_rope(&q, &k, &shared.cos, &shared.sin);
            (q, k)
        } else {
            let turned_q = rotary::apply(t, &q, &shared.cos, &shared.sin);
            let turned_k = rotary::apply(t, &k, &shared.cos, &shared.sin);
            if self.turn == Turn::WideHalves {
                (t.to(&turned_q, q.dtype()), t.to(&turned_k, k.dtype()))
            } else {
                (turned_q, turned_k)
            }
        };
        drop((q, k));
        let (turned_k, v) = t.cached(turned_k, v);
        let mask = shared.mask.as_ref();
        let (out, weights) = attend_with_weights(t, self.options, &turned_q, &turned_k, &v, mask);
        let out = t.reshape(&out, [x.dim(0), x.dim(1), out.dim(2) * out.dim(3)]);
        let out = t.contiguous(&out);
        (self.o_proj.forward(t, &out), weights)
    }

    /// Queries, keys and values `[B, heads, S, D]`.
    fn heads(&self, t: &Tape, x: &Tensor) -> [Tensor; 3] {
        let rows = |y: &Tensor| {
            let heads = y.dim(2) / self.head_dim;
            t.view(y, [x.dim(0), x.dim(1), heads, self.head_dim])
        };
        let part = |y: &Tensor| t.transpose(&rows(y), 1, 2);
        let [q, k, v] = &self.projections;
        match (self.style, &self.norms) {
            (HeadNorm::Whole(_), Some([q_norm, k_norm])) => {
                let q = {
                    let q = q.forward(t, x);
                    q_norm.forward(t, &q)
                };
                let k = {
                    let k = k.forward(t, x);
                    k_norm.forward(t, &k)
                };
                let v = v.forward(t, x);
                [part(&q), part(&k), part(&v)]
            }
            (HeadNorm::Rows(_), Some([q_norm, k_norm])) => {
                let normalized = |projection: &Linear, norm: &Norm| {
                    let y = rows(&projection.forward(t, x));
                    t.transpose(&norm.forward(t, &y), 1, 2)
                };
                let q = normalized(q, q_norm);
                let k = normalized(k, k_norm);
                [q, k, part(&v.forward(t, x))]
            }
            (_, norms) => {
                let q = part(&q.forward(t, x));
                let k = part(&k.forward(t, x));
                let v = part(&v.forward(t, x));
                match norms {
                    Some([q_norm, k_norm]) => {
                        let normalized = q_norm.forward(t, &q);
                        drop(q);
                        [normalized, k_norm.forward(t, &k), v]
                    }
                    None => [q, k, v],
                }
            }
        }
    }
}
