//! Attention with separate projections of queries, keys and values and rotary positions.

use super::attend::{attend_with_weights, dropped, joined, repeat_kv};
use super::options::AttentionOptions;
use super::rotated_rows::Rows;
use super::{rotary, rotary_pairs, rotated_rows, sinks as attention_sinks};
use crate::ask::{Attention, LoraKernel};
use crate::model::{
    DecoderConfig, Gate, HeadNorm, Holds, LayerNames, NormKind, Parts, RotaryKind, Sinks,
    Transformers,
};
use crate::nn::adapters;
use crate::nn::build::{Builder, Linear, Norm};
use crate::nn::decoder::Shared;
use crate::tape::{Tape, Tensor};
use std::cell::RefCell;

/// The layers that give queries, keys and values.
enum Projections {
    /// A layer for each.
    Apart([Linear; 3]),
    /// One layer, which gives queries, keys and values of a head beside each other.
    Fused(Linear),
}

/// `q_proj`, `k_proj`, `v_proj`, `o_proj` and the norms of queries and keys.
pub(crate) struct RotaryAttention {
    projections: Projections,
    o_proj: Linear,
    /// The norm before it.
    sub_norm: Option<Norm>,
    /// A score for each head that no token has, `[A]`.
    sinks: Option<(Sinks, Tensor)>,
    norms: Option<[Norm; 2]>,
    style: HeadNorm,
    /// How positions rotate queries and keys, if they do.
    rotary_kind: Option<RotaryKind>,
    /// Whether queries, keys and values are cut to a range.
    clipped: bool,
    /// Whether the result is dropped out.
    dropout: bool,
    /// Whether eager attention's weights are let go of before it returns.
    forgets_weights: bool,
    /// Whether the parts of rotated queries and keys stay in local variables.
    holds: bool,
    /// Whether queries, keys and values are all projected before they are parted into heads.
    projects_first: bool,
    /// Whether keys are multiplied by a number.
    scales_keys: bool,
    /// Whether rotated queries are multiplied by numbers of their positions.
    scales_queries: bool,
    /// Whether the result is gated by columns beside queries.
    gated: bool,
    /// The layer that gates the result.
    gate_proj: Option<Linear>,
    /// The treatment of rows where they are rotated.
    rows: Option<Rows>,
    head_dim: u64,
    rotary_dim: u64,
    /// Whether a kernel projects queries, keys and values with their adapters, and another one what attention gives.
    with_adapters: [bool; 2],
    options: AttentionOptions,
}

/// Queries, keys and values of all heads.
struct Heads {
    /// Queries and keys after they were rotated.
    rotated: [Tensor; 2],
    /// Values.
    v: Tensor,
    /// Other tensors in local variables.
    held: Vec<Tensor>,
}

impl RotaryAttention {
    pub(crate) fn new(
        b: &Builder,
        c: &DecoderConfig,
        options: AttentionOptions,
        parts: Parts,
        rotated: bool,
    ) -> Self {
        let (queries, keys) = (
            c.num_attention_heads * c.head_dim,
            c.num_key_value_heads * c.head_dim,
        );
        let bias = c.attention_bias || c.qkv_bias;
        let gated = parts.gate == Gate::BesideQueries;
        let with_gate = if gated { 2 * queries } else { queries };
        let names = LayerNames::of(c);
        let linear = |name, outputs| Linear::new(&b.at(name), c.hidden_size, outputs, bias);
        let projections = match *names.projections {
            [q, k, v] => {
                Projections::Apart([linear(q, with_gate), linear(k, keys), linear(v, keys)])
            }
            _ => Projections::Fused(linear(names.projections[0], queries + 2 * keys)),
        };
        let at = b.at(names.attention_output);
        let o_proj = Linear::new(&at, queries, c.hidden_size, c.attention_bias);
        let [sub_norm, _] = names.sub_norms;
        let sub_norm = sub_norm.map(|name| Norm::new(&b.at(name), NormKind::Root, c.hidden_size));
        let sinks = parts.sinks.map(|form| {
            let sinks = b.parameter("sinks", [c.num_attention_heads]);
            (form, sinks)
        });
        let [q_norm, k_norm] = names.head_norms.map(|name| b.at(name));
        let norms = |kind, [queries, keys]: [u64; 2]| {
            [
                Norm::new(&q_norm, kind, queries),
                Norm::new(&k_norm, kind, keys),
            ]
        };
        let norms = match parts.head_norm {
            HeadNorm::None => None,
            HeadNorm::Heads(kind)
            | HeadNorm::Rows(kind)
            | HeadNorm::Together(kind)
            | HeadNorm::AfterRotary(kind) => Some(norms(kind, [c.head_dim; 2])),
            HeadNorm::Each => Some([
                Norm::of_heads(&q_norm, c.num_attention_heads, c.head_dim),
                Norm::of_heads(&k_norm, c.num_key_value_heads, c.head_dim),
            ]),
            HeadNorm::Apart => Some([
                Norm::apart(&q_norm, c.num_attention_heads, c.head_dim),
                Norm::apart(&k_norm, c.num_key_value_heads, c.head_dim),
            ]),
            HeadNorm::Whole(kind) => Some(norms(kind, [queries, keys])),
        };
        Self {
            projections,
            o_proj,
            sub_norm,
            sinks,
            norms,
            style: parts.head_norm,
            rotary_kind: rotated.then_some(parts.rotary_kind),
            clipped: c.clips_heads,
            dropout: parts.drops_attended && c.dropout.residual,
            forgets_weights: parts.forgets_weights_in_4
                && options.facts.transformers != Transformers::V5,
            holds: matches!(parts.holds, Holds::Both | Holds::Rotated),
            projects_first: parts.projects_first,
            scales_keys: parts.scales_keys,
            scales_queries: c.scales_queries && !parts.turns_rows,
            gated,
            gate_proj: (parts.gate == Gate::Own)
                .then(|| Linear::new(&b.at("gate_proj"), c.hidden_size, queries, false)),
            rows: parts.turns_rows.then_some(Rows {
                rotated,
                normalized: c.head_norms,
                scaled: c.scales_queries,
            }),
            head_dim: c.head_dim,
            rotary_dim: c.rotary_dim,
            with_adapters: [LoraKernel::Qkv, LoraKernel::Output]
                .map(|kernel| b.runs_adapters(kernel)),
            options,
        }
    }

    /// `[B, S, H]` to the same, with eager attention's weights, which the layer holds.
    pub(crate) fn forward(
        &self,
        t: &Tape,
        x: &Tensor,
        shared: &Shared,
    ) -> (Tensor, Option<Tensor>) {
        let mut gate = None;
        let Heads {
            rotated: [mut rotated_q, rotated_k],
            v,
            held,
        } = self.rotated_heads(t, x, shared, &mut gate);
        if let Some(positions) = shared.positions.as_ref().filter(|_| self.scales_queries) {
            rotated_q = rotated_rows::scaled_by_positions(t, rotated_q, positions);
        }
        let (mut rotated_k, mut v) = t.cached(rotated_k, v);
        let mask = shared.mask.as_ref();
        let flash = self.options.implementation == Attention::FlashAttention2;
        if self.options.contiguous_for_mask && !flash {
            let groups = rotated_q.dim(1) / v.dim(1);
            rotated_k = repeat_kv(t, self.options.facts, &rotated_k, groups);
            v = repeat_kv(t, self.options.facts, &v, groups);
        }
        let all = [&rotated_q, &rotated_k, &v];
        // Kernels take sinks as they take heads, and keep nothing of them.
        let (out, weights) = match &self.sinks {
            Some(sinks) if !flash => attention_sinks::attend(t, self.options, all, mask, sinks),
            _ => attend_with_weights(t, self.options, &rotated_q, &rotated_k, &v, mask),
        };
        let out = joined(t, out);
        let out = match &gate {
            Some(gate) => {
                let share = t.sigmoid(gate);
                let gated = t.mul(&out, &share);
                drop(out);
                gated
            }
            None => out,
        };
        let out = match &self.sub_norm {
            Some(norm) => {
                let normalized = norm.forward(t, &out);
                drop(out);
                normalized
            }
            None => out,
        };
        let projected = self.projected(t, &out);
        drop(out);
        let weights = weights.filter(|_| !self.forgets_weights);
        let result = dropped(t, projected, self.dropout);
        let heads = (rotated_q, rotated_k, v);
        if self.holds {
            drop((heads, held));
        } else {
            drop((held, heads));
        }
        (result, weights)
    }

    /// The result of attention through `o_proj`.
    fn projected(&self, t: &Tape, out: &Tensor) -> Tensor {
        let fused = self.with_adapters[1].then(|| adapters::projections(t, out, [&self.o_proj]));
        match fused.flatten() {
            Some([projected]) => projected,
            None => self.o_proj.forward(t, out),
        }
    }

    fn rotated_heads(
        &self,
        t: &Tape,
        x: &Tensor,
        shared: &Shared,
        gate: &mut Option<Tensor>,
    ) -> Heads {
        let (projections, fused) = match &self.projections {
            Projections::Apart(projections) => (Some(projections), None),
            Projections::Fused(one) => (None, Some(one.forward(t, x))),
        };
        if let (Some(rows), Some(projections)) = (self.rows, projections) {
            let [q, k, v] = projections.each_ref().map(|projection| {
                let y = projection.forward(t, x);
                self.parted(t, &y)
            });
            let (rotated, held) = rows.forward(t, [q, k], &shared.cos);
            return Heads {
                rotated,
                v: t.transpose(&v, 1, 2),
                held,
            };
        }
        let [q, k, v] = match (projections, &fused) {
            (Some(projections), _) => self.heads(t, x, projections, gate),
            (None, Some(fused)) => self.fused_heads(t, fused),
            (None, None) => unreachable!("either is given"),
        };
        let (rotated, held) = self.rotated(t, &q, &k, shared);
        drop((q, k));
        let held = fused.into_iter().chain(held.into_iter().flatten());
        let held = held.collect();
        match (self.style, &self.norms) {
            (HeadNorm::AfterRotary(_), Some([q_norm, k_norm])) => {
                let [q, k] = rotated;
                let normalized = q_norm.forward(t, &q);
                drop(q);
                Heads {
                    rotated: [normalized, k_norm.forward(t, &k)],
                    v,
                    held,
                }
            }
            _ => Heads { rotated, v, held },
        }
    }

    /// The heads of `[B, S, heads x D]`: `[B, S, heads, D]`.
    fn parted(&self, t: &Tape, y: &Tensor) -> Tensor {
        let heads = y.dim(2) / self.head_dim;
        t.view(y, [y.dim(0), y.dim(1), heads, self.head_dim])
    }

    /// Queries and keys after they were rotated, and what stays in local variables besides.
    fn rotated(
        &self,
        t: &Tape,
        q: &Tensor,
        k: &Tensor,
        shared: &Shared,
    ) -> ([Tensor; 2], Option<[Tensor; 4]>) {
        let (cos, sin) = (&shared.cos, &shared.sin);
        let both = [q, k];
        let rotated = match self.rotary_kind {
            None => both.map(Tensor::clone),
            Some(_) if self.options.liger_rope => t.liger_rope(q, k, cos, sin),
            Some(RotaryKind::Halves) => both.map(|x| rotary::apply(t, x, cos, sin)),
            Some(RotaryKind::Backwards) => both.map(|x| rotary::apply_backwards(t, x, cos, sin)),
            Some(RotaryKind::WideHalves) => {
                let rotated = both.map(|x| rotary::apply(t, x, cos, sin));
                rotated.each_ref().map(|x| t.to(x, q.dtype()))
            }
            Some(RotaryKind::Part) => {
                let part = |x: &Tensor, from, to| t.slice(x, -1, from, to);
                let rotated = both.map(|x| part(x, 0, self.rotary_dim));
                let rest = both.map(|x| part(x, self.rotary_dim, self.head_dim));
                let rotated = rotated.map(|x| rotary::apply(t, &x, cos, sin));
                let whole = |i: usize| t.cat(&[&rotated[i], &rest[i]], -1);
                let whole = [whole(0), whole(1)];
                let ([q, k], [q_rest, k_rest]) = (rotated, rest);
                return (whole, self.holds.then_some([q, q_rest, k, k_rest]));
            }
            Some(RotaryKind::FirstColumns) => {
                let part = |x: &Tensor, from, to| t.slice(x, -1, from, to);
                let (first, all) = (self.rotary_dim, self.head_dim);
                let parts = both.map(|x| (part(x, 0, first), part(x, first, all)));
                let rotated = parts.map(|(x, rest)| (rotary::apply(t, &x, cos, sin), rest));
                rotated.map(|(x, rest)| t.cat(&[&x, &rest], -1))
            }
            Some(RotaryKind::Parts) => both.map(|x| rotary_pairs::apply_to_halves(t, x, cos, sin)),
            Some(RotaryKind::WideNeighbours) => {
                rotary_pairs::apply_wide_neighbours(t, both, cos, sin)
            }
            Some(RotaryKind::Pairs) => rotary_pairs::apply_neighbours(t, both, cos, sin),
            Some(RotaryKind::PartPairs) => rotary_pairs::apply_first_neighbours(t, both, cos, sin),
            Some(RotaryKind::WidePairs) => rotary_pairs::apply_wide(t, both, cos, sin),
        };
        (rotated, None)
    }

    /// Queries, keys and values `[B, heads, S, D]` of what one layer gave `[B, S, heads x 3 x D]`.
    fn fused_heads(&self, t: &Tape, fused: &Tensor) -> [Tensor; 3] {
        let heads = fused.dim(2) / (3 * self.head_dim);
        let all = t.view(fused, [fused.dim(0), fused.dim(1), heads, 3, self.head_dim]);
        let facts = self.options.facts;
        let [mut q, mut k, v] = [0, 1, 2].map(|_| facts.index_all(t, &t.select(&all, 3), 1));
        if let Some([q_norm, k_norm]) = &self.norms {
            q = q_norm.forward(t, &q);
            k = k_norm.forward(t, &k);
        }
        [q, k, v].map(|x| t.transpose(&x, 1, 2))
    }

    /// Queries, keys and values `[B, heads, S, D]`, and the gate of the result if there is one.
    fn heads(
        &self,
        t: &Tape,
        x: &Tensor,
        projections: &[Linear; 3],
        gate: &mut Option<Tensor>,
    ) -> [Tensor; 3] {
        let rows = |y: &Tensor| self.parted(t, y);
        let part = |y: &Tensor| t.transpose(&rows(y), 1, 2);
        let fused = self.with_adapters[0] && !self.gated;
        let fused = fused.then(|| adapters::projections(t, x, projections.each_ref()));
        let fused = RefCell::new(fused.flatten().map(|fused| fused.map(Some)));
        let projected = |i: usize| {
            let fused = (fused.borrow_mut().as_mut()).and_then(|fused| fused[i].take());
            fused.unwrap_or_else(|| projections[i].forward(t, x))
        };
        let [q, k, v] = [0, 1, 2];
        if self.clipped && self.norms.is_none() {
            let clipped = [q, k, v].map(projected);
            return clipped.map(|y| t.clamp_in_place(y)).map(|y| part(&y));
        }
        match (self.style, &self.norms) {
            (HeadNorm::Whole(_), Some([q_norm, k_norm])) => {
                let q = {
                    let q = projected(q);
                    q_norm.forward(t, &q)
                };
                let k = {
                    let k = projected(k);
                    k_norm.forward(t, &k)
                };
                let v = projected(v);
                let heads = [q, k, v];
                let heads = if self.clipped {
                    heads.map(|y| t.clamp_in_place(y))
                } else {
                    heads
                };
                heads.map(|y| part(&y))
            }
            (HeadNorm::Rows(_), Some([q_norm, k_norm])) => {
                let normalized = |projection: usize, norm: &Norm| {
                    let y = rows(&projected(projection));
                    t.transpose(&norm.forward(t, &y), 1, 2)
                };
                let q = if self.gated {
                    let y = {
                        let both = rows(&projected(q));
                        let heads = both.dim(2) / 2;
                        let both = t.view(&both, [x.dim(0), x.dim(1), heads, 2 * self.head_dim]);
                        let [q, beside] = t.split(&both, [self.head_dim; 2], -1);
                        let flat = [x.dim(0), x.dim(1), heads * self.head_dim];
                        *gate = Some(t.reshape(&beside, flat));
                        q
                    };
                    t.transpose(&q_norm.forward(t, &y), 1, 2)
                } else {
                    normalized(q, q_norm)
                };
                let k = normalized(k, k_norm);
                [q, k, part(&projected(v))]
            }
            (HeadNorm::Each | HeadNorm::Together(_), Some([q_norm, k_norm])) => {
                let [q, k, v] = [q, k, v].map(|projection| rows(&projected(projection)));
                *gate = self.gate_proj.as_ref().map(|gate| gate.forward(t, x));
                let normalized = q_norm.forward(t, &q);
                drop(q);
                [normalized, k_norm.forward(t, &k), v].map(|y| t.transpose(&y, 1, 2))
            }
            _ if self.projects_first => {
                let all = [q, k, v].map(projected);
                all.map(|y| part(&y))
            }
            (_, norms) => {
                let q = part(&projected(q));
                let mut k = part(&projected(k));
                if self.scales_keys {
                    k = t.mul_scalar(&k);
                }
                let v = part(&projected(v));
                match norms
                    .as_ref()
                    .filter(|_| matches!(self.style, HeadNorm::Heads(_) | HeadNorm::Apart))
                {
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
