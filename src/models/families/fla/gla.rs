//! Gated linear attention (`fla/layers/gla.py`) and retention
//! (`fla/layers/multiscale_retention.py`), which differ in their decay.

use super::block::{Mixer, Tokens, heads, merged};
use super::conv::{ShortConv, convolutions, projected};
use super::norm::FlaNorm;
use super::rotary::FlaRotary;
use crate::model::{FlaConfig, FlaMixer};
use crate::nn::build::{Builder, Linear};
use crate::tape::{Tape, Tensor};

/// Columns between the two layers that give the decay (`gate_low_rank_dim`).
const GATE_LOW_RANK: u64 = 16;

/// How tokens are forgotten.
enum Decay {
    /// By columns, as two layers of low rank say.
    Learned([Linear; 2]),
    /// At a rate for each head, with positions in queries and keys.
    Fixed(FlaRotary),
}

/// `GatedLinearAttention` or `MultiScaleRetention`.
pub(crate) struct Gla {
    q_proj: Linear,
    k_proj: Linear,
    v_proj: Linear,
    g_proj: Option<Linear>,
    convolutions: Option<[ShortConv; 3]>,
    decay: Decay,
    o_proj: Linear,
    norm: FlaNorm,
    fused_gate: bool,
    head_k_dim: u64,
    head_v_dim: u64,
}

impl Gla {
    pub(crate) fn new(b: &Builder, c: &FlaConfig) -> Self {
        let (hidden, key_dim, value_dim) = (c.hidden_size, c.key_dim(), c.value_dim());
        let linear = |name, inputs, outputs| Linear::new(&b.at(name), inputs, outputs, false);
        let q_proj = linear("q_proj", hidden, key_dim);
        let k_proj = linear("k_proj", hidden, key_dim);
        let v_proj = linear("v_proj", hidden, value_dim);
        let g_proj = c.output_gate.then(|| linear("g_proj", hidden, value_dim));
        let names = ["q_conv1d", "k_conv1d", "v_conv1d"];
        let widths = [key_dim, key_dim, value_dim];
        let convolutions = convolutions(b, names, widths, c.short_conv, true);
        let learned = (c.mixer == FlaMixer::Gla).then(|| {
            [
                Linear::new(&b.item("gk_proj", 0), hidden, GATE_LOW_RANK, false),
                Linear::new(&b.item("gk_proj", 1), GATE_LOW_RANK, key_dim, true),
            ]
        });
        let o_proj = linear("o_proj", value_dim, hidden);
        let fused_gate = c.fused.norm && c.output_gate;
        let norm = if fused_gate {
            "g_norm_swish_gate"
        } else {
            "g_norm"
        };
        Self {
            q_proj,
            k_proj,
            v_proj,
            g_proj,
            convolutions,
            o_proj,
            norm: FlaNorm::new(&b.at(norm), c.head_v_dim, true, c.affine),
            decay: learned.map_or_else(
                || Decay::Fixed(FlaRotary::new(&b.at("rotary"), c.head_k_dim)),
                Decay::Learned,
            ),
            fused_gate,
            head_k_dim: c.head_k_dim,
            head_v_dim: c.head_v_dim,
        }
    }
}

impl Mixer for Gla {
    fn forward(&self, t: &Tape, x: &Tensor, tokens: Tokens) -> Tensor {
        let sequences = tokens.sequences;
        let conv = |i: usize| self.convolutions.as_ref().map(|all| &all[i]);
        let q = projected(t, &self.q_proj, conv(0), x, sequences);
        let k = projected(t, &self.k_proj, conv(1), x, sequences);
        let v = projected(t, &self.v_proj, conv(2), x, sequences);
        // Local variables of the layer.
        let mut held = Vec::new();
        let o = match &self.decay {
            Decay::Learned(layers) => {
                let gk = {
                    let narrow = layers[0].forward(t, x);
                    layers[1].forward(t, &narrow)
                };
                let q = heads(t, &q, self.head_k_dim);
                let k = heads(t, &k, self.head_k_dim);
                let v = heads(t, &v, self.head_v_dim);
                let decay = {
                    let log = t.logsigmoid(&heads(t, &gk, self.head_k_dim));
                    let decay = t.div_scalar(&log);
                    drop(gk);
                    decay
                };
                let o = if tokens.one_by_one() {
                    t.fused_recurrent([&q, &k, &v, &decay], sequences)
                } else {
                    t.chunk_gla(&q, &k, &v, &decay, sequences)
                };
                held.push(decay);
                o
            }
            Decay::Fixed(rotary) => {
                let rotated = {
                    let q = heads(t, &q, self.head_k_dim);
                    let k = heads(t, &k, self.head_k_dim);
                    let seen = t.tokens_seen_by_layer();
                    held.extend(tokens.shift(t));
                    rotary.forward(t, [&q, &k], q.dim(1) + seen)
                };
                drop((q, k));
                let [q, k] = &rotated;
                let v = heads(t, &v, self.head_v_dim);
                let short = tokens.one_by_one_without_gradient(t);
                let o = t.retention([q, k, &v], sequences, short);
                held.extend(rotated);
                o
            }
        };
        t.update_layer_state(tokens.length);
        let g = self.g_proj.as_ref().map(|g_proj| g_proj.forward(t, x));
        let o = match &g {
            Some(g) if self.fused_gate => {
                let g = heads(t, g, self.head_v_dim);
                let gated = self.norm.gated(t, &o, &g);
                drop(o);
                merged(t, &gated)
            }
            Some(g) => {
                let normalized = self.norm.forward(t, &o);
                drop(o);
                let o = merged(t, &normalized);
                drop(normalized);
                let gate = t.silu(g);
                t.mul(&o, &gate)
            }
            None => {
                let normalized = self.norm.forward(t, &o);
                drop(o);
                merged(t, &normalized)
            }
        };
        let out = self.o_proj.forward(t, &o);
        drop(held);
        out
    }
}
