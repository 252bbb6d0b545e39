//! `Attention` (`fla/layers/attn.py`) by the flash-attn package.

use super::block::{Mixer, Tokens, heads, merged};
use super::norm::FlaNorm;
use super::rotary::FlaRotary;
use crate::model::{FlaAttention, FlaConfig};
use crate::nn::build::{Builder, Linear};
use crate::tape::{Packed, Tape, Tensor};
use crate::units::{DType, Shape};

pub(crate) struct Attention {
    projections: [Linear; 3],
    o_proj: Linear,
    norms: Option<[FlaNorm; 2]>,
    rotary: FlaRotary,
    head_dim: u64,
    positions: u64,
}

impl Attention {
    pub(crate) fn new(b: &Builder, c: &FlaConfig, attention: &FlaAttention) -> Self {
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

    /// `flash_attn_varlen_func` of the tokens that are no padding; and what takes the place of q, k
    /// and v, with where samples begin.
    fn without_padding(
        &self,
        t: &Tape,
        [q, k, v]: [Tensor; 3],
        mask: &Tensor,
    ) -> (Tensor, Vec<Tensor>) {
        let (samples, tokens) = (q.dim(0), q.dim(1));
        let rows = samples * tokens;
        let found = t.unpadding_of_attention(mask);
        let packed = |x: &Tensor| {
            let flat = t.reshape(x, [x.dim(0) * x.dim(1), x.dim(2) * x.dim(3)]);
            let rows = t.unpad(&flat, &found[0]);
            t.reshape(&rows, [rows.dim(0), x.dim(2), x.dim(3)])
        };
        let (new_k, new_v) = (packed(&k), packed(&v));
        let (new_q, indices, boundaries) = if mask.dim(1) == tokens {
            (packed(&q), found[0].clone(), found[1].clone())
        } else {
            // One token of each sample: none is padding.
            let range = t.empty("arange", Shape::from([samples + 1]), DType::Int32);
            let q = t.reshape(&q, [samples, q.dim(2), q.dim(3)]);
            (q, t.slice(&range, 0, 0, samples), range)
        };
        drop((q, k, v));
        let (q, k, v) = (new_q, new_k, new_v);
        let indices = &indices;
        let sequences = Packed {
            boundaries: &boundaries,
            count: samples,
        };
        let o = t.flash_attn(&q, &k, &v, Some(&sequences), false);
        let flat = t.reshape(&o, [rows, q.dim(1) * self.head_dim]);
        let padded = t.repad(&flat, indices, rows);
        drop((o, flat));
        let padded = t.reshape(&padded, [samples, tokens, q.dim(1), self.head_dim]);
        (padded, vec![q, k, v, boundaries])
    }
}

impl Mixer for Attention {
    fn forward(&self, t: &Tape, x: &Tensor, tokens: Tokens) -> Tensor {
        let project = |layer: &Linear| heads(t, &layer.forward(t, x), self.head_dim);
        let [mut q, mut k, mut v] = self.projections.each_ref().map(project);
        if let Some([q_norm, k_norm]) = &self.norms {
            (q, k) = (q_norm.forward(t, &q), k_norm.forward(t, &k));
        }
        let positions = (t.tokens_seen_by_layer() + x.dim(1)).max(self.positions);
        let _shift = tokens.shift(t);
        [q, k] = self.rotary.forward(t, [&q, &k], positions);
        // Local variables of the layer.
        let (all, _before) = t.attended([merged(t, &k), merged(t, &v)]);
        if all[0].dim(1) > x.dim(1) {
            [k, v] = all.each_ref().map(|x| heads(t, x, self.head_dim));
        }
        let (o, _held) = match tokens.mask {
            Some(mask) => self.without_padding(t, [q, k, v], mask),
            None => (t.flash_attn(&q, &k, &v, None, false), vec![q, k, v]),
        };
        self.o_proj.forward(t, &merged(t, &o))
    }

    fn unpads_itself(&self) -> bool {
        true
    }
}
