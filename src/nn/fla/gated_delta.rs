//! `GatedDeltaNet` (`fla/layers/gated_deltanet.py`).

use super::block::{Mixer, heads, merged};
use super::conv::{ShortConv, projected};
use super::norm::FlaNorm;
use crate::nn::builder::Builder;
use crate::nn::layers::Linear;
use crate::spec::FlaConfig;
use crate::tape::{Tape, Tensor};
use crate::units::DType;

pub(super) struct GatedDeltaNet {
    projections: [Linear; 3],
    a_proj: Linear,
    b_proj: Linear,
    a_log: Tensor,
    dt_bias: Tensor,
    convolutions: Option<[ShortConv; 3]>,
    g_proj: Option<Linear>,
    o_norm: FlaNorm,
    o_proj: Linear,
    head_k_dim: u64,
    head_v_dim: u64,
}

impl GatedDeltaNet {
    pub(super) fn new(b: &Builder, c: &FlaConfig) -> Self {
        let hidden = c.hidden_size;
        // A module's own parameters come before those of its parts.
        let a_log = b.parameter("A_log", [c.num_heads]);
        let dt_bias = b.parameter("dt_bias", [c.num_heads]);
        let linear = |name, inputs, outputs| Linear::new(&b.at(name), inputs, outputs, false);
        let widths = [c.key_dim(), c.key_dim(), c.value_dim()];
        let names = ["q_proj", "k_proj", "v_proj"];
        let projections = [0, 1, 2].map(|i| linear(names[i], hidden, widths[i]));
        let [a_proj, b_proj] = ["a_proj", "b_proj"].map(|name| linear(name, hidden, c.num_heads));
        let convolutions = c.short_conv.map(|reach| {
            let names = ["q_conv1d", "k_conv1d", "v_conv1d"];
            [0, 1, 2].map(|i| ShortConv::new(&b.at(names[i]), widths[i], reach, true))
        });
        let g_proj = c
            .output_gate
            .then(|| linear("g_proj", hidden, c.value_dim()));
        Self {
            projections,
            a_proj,
            b_proj,
            a_log,
            dt_bias,
            convolutions,
            g_proj,
            o_norm: FlaNorm::new(&b.at("o_norm"), c.head_v_dim, true, true),
            o_proj: linear("o_proj", c.value_dim(), hidden),
            head_k_dim: c.head_k_dim,
            head_v_dim: c.head_v_dim,
        }
    }

    /// Queries, keys and values. Since 0.6.0 one convolution runs over all three where nothing is
    /// packed.
    fn projected(&self, t: &Tape, x: &Tensor, sequences: u64) -> [Tensor; 3] {
        let Some(convolutions) = &self.convolutions else {
            return self
                .projections
                .each_ref()
                .map(|layer| t.silu(&layer.forward(t, x)));
        };
        if !t.computes_decay_inside() || sequences > 1 {
            return [0, 1, 2].map(|i| {
                projected(
                    t,
                    &self.projections[i],
                    Some(&convolutions[i]),
                    x,
                    sequences,
                )
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
}

impl Mixer for GatedDeltaNet {
    fn forward(&self, t: &Tape, x: &Tensor, sequences: u64) -> Tensor {
        let [q, k, v] = self.projected(t, x, sequences);
        let (q, k) = (heads(t, &q, self.head_k_dim), heads(t, &k, self.head_k_dim));
        let v = heads(t, &v, self.head_v_dim);
        let beta = self.b_proj.forward(t, x);
        let (o, kept) = if t.computes_decay_inside() {
            let g = self.a_proj.forward(t, x);
            let parameters = Some([&self.a_log, &self.dt_bias]);
            let o = t.chunk_gated_delta_rule([&q, &k, &v, &g, &beta], parameters, sequences);
            (o, None)
        } else {
            let beta = {
                let sigmoid = t.sigmoid(&beta);
                drop(beta);
                sigmoid
            };
            let rate = {
                let exponential = {
                    let wide = t.to(&self.a_log, DType::Float32);
                    t.exp(&wide)
                };
                t.neg(&exponential)
            };
            let step = {
                let sum = {
                    let wide = {
                        let narrow = self.a_proj.forward(t, x);
                        t.to(&narrow, DType::Float32)
                    };
                    t.add(&wide, &self.dt_bias)
                };
                t.softplus(&sum)
            };
            let g = t.mul(&rate, &step);
            drop((rate, step));
            let o = t.chunk_gated_delta_rule([&q, &k, &v, &g, &beta], None, sequences);
            (o, Some(g))
        };
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
