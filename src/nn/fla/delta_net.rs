//! `DeltaNet` (`fla/layers/delta_net.py`).

use super::block::{Mixer, heads, merged};
use super::conv::{ShortConv, projected};
use super::norm::FlaNorm;
use crate::nn::builder::Builder;
use crate::nn::layers::Linear;
use crate::spec::FlaConfig;
use crate::tape::{Tape, Tensor};

pub(super) struct DeltaNet {
    projections: [Linear; 3],
    b_proj: Linear,
    convolutions: Option<[ShortConv; 3]>,
    g_proj: Option<Linear>,
    o_norm: FlaNorm,
    o_proj: Linear,
    head_k_dim: u64,
    head_v_dim: u64,
}

impl DeltaNet {
    pub(super) fn new(b: &Builder, c: &FlaConfig) -> Self {
        let hidden = c.hidden_size;
        let linear = |name, inputs, outputs| Linear::new(&b.at(name), inputs, outputs, false);
        let widths = [c.key_dim(), c.key_dim(), c.value_dim()];
        let names = ["q_proj", "k_proj", "v_proj"];
        let projections = [0, 1, 2].map(|i| linear(names[i], hidden, widths[i]));
        let b_proj = linear("b_proj", hidden, c.num_heads);
        let convolutions = c.short_conv.map(|reach| {
            let names = ["q_conv1d", "k_conv1d", "v_conv1d"];
            [0, 1, 2].map(|i| ShortConv::new(&b.at(names[i]), widths[i], reach, true))
        });
        let g_proj = c
            .output_gate
            .then(|| linear("g_proj", hidden, c.value_dim()));
        Self {
            projections,
            b_proj,
            convolutions,
            g_proj,
            o_norm: FlaNorm::new(&b.at("o_norm"), c.head_v_dim, true, true),
            o_proj: linear("o_proj", c.value_dim(), hidden),
            head_k_dim: c.head_k_dim,
            head_v_dim: c.head_v_dim,
        }
    }
}

impl Mixer for DeltaNet {
    fn forward(&self, t: &Tape, x: &Tensor, sequences: u64) -> Tensor {
        let [q, k, v] = if let Some(convolutions) = &self.convolutions {
            [0, 1, 2].map(|i| {
                projected(
                    t,
                    &self.projections[i],
                    Some(&convolutions[i]),
                    x,
                    sequences,
                )
            })
        } else {
            let [q, k] = [0, 1].map(|i| self.projections[i].forward(t, x));
            let (q, k) = (t.silu(&q), t.silu(&k));
            [q, k, t.silu(&self.projections[2].forward(t, x))]
        };
        let (q, k) = (heads(t, &q, self.head_k_dim), heads(t, &k, self.head_k_dim));
        let v = heads(t, &v, self.head_v_dim);
        let beta = t.sigmoid(&self.b_proj.forward(t, x));
        let o = t.chunk_delta_rule([&q, &k, &v, &beta], true, sequences);
        let o = match &self.g_proj {
            Some(g_proj) => {
                let gate = heads(t, &g_proj.forward(t, x), self.head_v_dim);
                self.o_norm.gated(t, &o, &gate)
            }
            None => self.o_norm.forward(t, &o),
        };
        self.o_proj.forward(t, &merged(t, &o))
    }
}
