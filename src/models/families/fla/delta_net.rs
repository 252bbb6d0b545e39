//! `DeltaNet` (`fla/layers/delta_net.py`), and `GatedDeltaNet` (`fla/layers/gated_deltanet.py`),
//! which forgets, too.

use super::block::{Mixer, Tokens, heads, merged};
use super::conv::{ShortConv, convolutions, projected};
use super::decay::Decay;
use super::norm::FlaNorm;
use crate::model::{FlaConfig, FlaMixer};
use crate::nn::build::{Builder, Linear};
use crate::tape::{Tape, Tensor};

/// `DeltaNet` or `GatedDeltaNet`.
pub(crate) struct DeltaNet {
    projections: [Linear; 3],
    /// How the state decays, if it does.
    decay: Option<Decay>,
    b_proj: Linear,
    convolutions: Option<[ShortConv; 3]>,
    g_proj: Option<Linear>,
    o_norm: FlaNorm,
    o_proj: Linear,
    head_k_dim: u64,
    head_v_dim: u64,
}

impl DeltaNet {
    pub(crate) fn new(b: &Builder, c: &FlaConfig) -> Self {
        let gated = c.mixer == FlaMixer::GatedDeltaNet;
        // A module's own parameters come before those of its parts.
        let rates = gated.then(|| Decay::rates(b, c.num_heads));
        let hidden = c.hidden_size;
        let linear = |name, inputs, outputs| Linear::new(&b.at(name), inputs, outputs, false);
        let widths = [c.key_dim(), c.key_dim(), c.value_dim()];
        let names = ["q_proj", "k_proj", "v_proj"];
        let projections = [0, 1, 2].map(|i| linear(names[i], hidden, widths[i]));
        let decay = rates.map(|rates| Decay::new(rates, linear("a_proj", hidden, c.num_heads)));
        let b_proj = linear("b_proj", hidden, c.num_heads);
        let names = ["q_conv1d", "k_conv1d", "v_conv1d"];
        let convolutions = convolutions(b, names, widths, c.short_conv, true);
        let g_proj = c
            .output_gate
            .then(|| linear("g_proj", hidden, c.value_dim()));
        Self {
            projections,
            decay,
            b_proj,
            convolutions,
            g_proj,
            o_norm: FlaNorm::new(&b.at("o_norm"), c.head_v_dim, true, true),
            o_proj: linear("o_proj", c.value_dim(), hidden),
            head_k_dim: c.head_k_dim,
            head_v_dim: c.head_v_dim,
        }
    }

    /// Queries, keys and values. Since 0.6.0 `GatedDeltaNet` runs one convolution over all three
    /// where nothing is packed.
    fn projected(&self, t: &Tape, x: &Tensor, sequences: u64) -> [Tensor; 3] {
        let Some(convolutions) = &self.convolutions else {
            return self.activated(t, x);
        };
        let fuses = self.decay.is_some() && t.computes_decay_inside();
        let together = fuses && !t.is_packed() && !t.has_cache();
        if !together {
            return [0, 1, 2].map(|i| {
                let conv = Some(&convolutions[i]);
                projected(t, &self.projections[i], conv, x, sequences)
            });
        }
        let joined = {
            let parts = self.projections.each_ref().map(|layer| layer.forward(t, x));
            t.cat(&parts.each_ref(), -1)
        };
        let widths = convolutions.each_ref().map(ShortConv::columns);
        let weight = {
            let weights = convolutions.each_ref().map(|conv| conv.weight(t));
            t.cat(&weights.each_ref(), 0)
        };
        let mixed = t.causal_conv(&joined, &weight, true, sequences);
        t.split(&mixed, widths, -1)
    }

    /// Activates without a convolution, which would have activated them.
    fn activated(&self, t: &Tape, x: &Tensor) -> [Tensor; 3] {
        if self.decay.is_some() {
            let layers = self.projections.each_ref();
            return layers.map(|layer| t.silu(&layer.forward(t, x)));
        }
        let [q, k] = [0, 1].map(|i| self.projections[i].forward(t, x));
        let (q, k) = (t.silu(&q), t.silu(&k));
        [q, k, t.silu(&self.projections[2].forward(t, x))]
    }
}

impl Mixer for DeltaNet {
    fn forward(&self, t: &Tape, x: &Tensor, tokens: Tokens) -> Tensor {
        let sequences = tokens.sequences;
        let [q, k, v] = self.projected(t, x, sequences);
        let (q, k) = (heads(t, &q, self.head_k_dim), heads(t, &k, self.head_k_dim));
        let v = heads(t, &v, self.head_v_dim);
        let beta = self.b_proj.forward(t, x);
        let (o, kept) = if let Some(decay) = &self.decay {
            decay.forward(t, x, [&q, &k, &v], beta, tokens)
        } else {
            let beta = {
                let sigmoid = t.sigmoid(&beta);
                drop(beta);
                sigmoid
            };
            let o = if tokens.one_by_one() {
                t.fused_recurrent_delta_rule([&q, &k, &v, &beta], sequences)
            } else {
                t.chunk_delta_rule([&q, &k, &v, &beta], true, sequences)
            };
            (o, None)
        };
        t.update_layer_state(tokens.length);
        let o = match &self.g_proj {
            Some(g_proj) => {
                let gate = heads(t, &g_proj.forward(t, x), self.head_v_dim);
                // The gate takes the decay's name.
                drop(kept);
                self.o_norm.gated(t, &o, &gate)
            }
            None => self.o_norm.forward(t, &o),
        };
        self.o_proj.forward(t, &merged(t, &o))
    }
}
