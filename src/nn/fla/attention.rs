//! `Attention` (`fla/layers/attn.py`) by the flash-attn package.

use super::block::{Mixer, Tokens, Unpadding, heads, merged};
use super::norm::FlaNorm;
use super::rotary::FlaRotary;
use crate::nn::builder::Builder;
use crate::nn::layers::Linear;
use crate::spec::{FlaAttention, FlaConfig};
use crate::tape::{Packed, Tape, Tensor};

pub(super) struct Attention {
    projections: [Linear; 3],
    o_proj: Linear,
    norms: Option<[FlaNorm; 2]>,
    rotary: FlaRotary,
    head_dim: u64,
    positions: u64,
}

impl Attention {
    pub(super) fn new(b: &Builder, c: &FlaConfig, attention: &FlaAttention) -> Self {
        let hidden = c.hidden_size;
        let head_dim = hidden / attention.num_heads;
        let linear = |name, outputs, bias| Linear::new(&b.at(name), hidden, outputs, bias);
        let keys = attention.num_kv_heads * head_dim;
        let projections = [("q_proj", hidden), ("k_proj", keys), ("v_proj", keys)]
            .map(|(name, outputs)| linear(name, outputs, attention.qkv_bias));
        let o_proj = linear("o_proj", hidden, false);
        let norms = attention.qk_norm.then(|| {
            ["q_norm", "k_norm"].map(|name| FlaNorm::new(&b.at(name), head_dim, true, true))
        });
        Self {
            projections,
            o_proj,
            norms,
            rotary: FlaRotary::new(&b.at("rotary"), head_dim),
            head_dim,
            positions: c.max_position_embeddings,
        }
    }

    /// `flash_attn_varlen_func` of the tokens that are no padding.
    fn without_padding(&self, t: &Tape, [q, k, v]: [&Tensor; 3], unpadding: &Unpadding) -> Tensor {
        let (samples, tokens) = (q.dim(0), q.dim(1));
        let rows = samples * tokens;
        let (indices, boundaries) = unpadding.of_attention(t, samples, tokens);
        let packed = |x: &Tensor| {
            let flat = t.reshape(x, [rows, x.dim(2) * x.dim(3)]);
            let rows = t.unpad(&flat, indices);
            t.reshape(&rows, [rows.dim(0), x.dim(2), x.dim(3)])
        };
        let (k, v) = (packed(k), packed(v));
        let q = packed(q);
        let sequences = Packed {
            boundaries,
            count: samples,
        };
        let o = t.flash_attn(&q, &k, &v, Some(&sequences), false);
        let flat = t.reshape(&o, [rows, q.dim(1) * self.head_dim]);
        let padded = t.repad(&flat, indices, rows);
        t.reshape(&padded, [samples, tokens, q.dim(1), self.head_dim])
    }
}

impl Mixer for Attention {
    fn forward(&self, t: &Tape, x: &Tensor, tokens: Tokens) -> Tensor {
        let project = |layer: &Linear| heads(t, &layer.forward(t, x), self.head_dim);
        let [mut q, mut k, v] = self.projections.each_ref().map(project);
        if let Some([q_norm, k_norm]) = &self.norms {
            (q, k) = (q_norm.forward(t, &q), k_norm.forward(t, &k));
        }
        let positions = x.dim(1).max(self.positions);
        [q, k] = self.rotary.forward(t, [&q, &k], positions);
        let o = match tokens.unpadding {
            Some(unpadding) => self.without_padding(t, [&q, &k, &v], unpadding),
            None => t.flash_attn(&q, &k, &v, None, false),
        };
        self.o_proj.forward(t, &merged(t, &o))
    }

    fn unpads_itself(&self) -> bool {
        true
    }
}
