//! Phi-3 (`models/phi3/modeling_phi3.py`).

use crate::families::network::Net;
use crate::model::{DecoderConfig, NormKind, ResolvedSpec};
use crate::nn::attention::{AttentionOptions, attend_with_weights, dropped, in_heads, rotary};
use crate::nn::build::{Builder, Facts, Linear, Norm};
use crate::nn::decoder::{Causal, Layer, Shared, WeighingBlock};
use crate::nn::mlp::FusedMlp;
use crate::tape::{Tape, Tensor};

/// `Phi3DecoderLayer`.
pub(crate) struct Phi3Layer {
    attention: SelfAttention,
    mlp: FusedMlp,
    norms: [Norm; 2],
    dropout: bool,
}

struct SelfAttention {
    o_proj: Linear,
    qkv_proj: Linear,
    /// Columns of all queries and of all keys.
    widths: [u64; 2],
    head_dim: u64,
    rotary_dim: u64,
    options: AttentionOptions,
}

impl Layer for Phi3Layer {
    fn new(b: &Builder, c: &DecoderConfig, options: AttentionOptions) -> Self {
        Self {
            attention: SelfAttention::new(&b.at("self_attn"), c, options),
            mlp: FusedMlp::of_config(&b.at("mlp"), c),
            norms: ["input_layernorm", "post_attention_layernorm"]
                .map(|name| Norm::new(&b.at(name), NormKind::Root, c.hidden_size)),
            dropout: c.dropout.residual,
        }
    }
}

impl WeighingBlock for Phi3Layer {
    type Shared = Shared;

    fn outliving(shared: &Shared, facts: Facts) -> Shared {
        shared.outliving(facts)
    }

    fn forward(&self, t: &Tape, hidden: &Tensor, shared: &Shared) -> (Tensor, Option<Tensor>) {
        let [input, post_attention] = &self.norms;
        let x = t.scoped("input_layernorm", None, || input.forward(t, hidden));
        let (attended, weights) =
            t.scoped("self_attn", None, || self.attention.forward(t, &x, shared));
        drop(x);
        let residual = {
            let kept = dropped(t, attended.clone(), self.dropout);
            t.add(hidden, &kept)
        };
        drop(attended);
        let changed = {
            let x = t.scoped("post_attention_layernorm", None, || {
                post_attention.forward(t, &residual)
            });
            t.scoped("mlp", None, || self.mlp.forward(t, &x))
        };
        let kept = dropped(t, changed.clone(), self.dropout);
        let out = t.add(&residual, &kept);
        drop((weights, changed));
        (out, None)
    }
}

impl SelfAttention {
    fn new(b: &Builder, c: &DecoderConfig, options: AttentionOptions) -> Self {
        let queries = c.num_attention_heads * c.head_dim;
        let keys = c.num_key_value_heads * c.head_dim;
        let all = queries + 2 * keys;
        Self {
            o_proj: Linear::new(&b.at("o_proj"), queries, c.hidden_size, false),
            qkv_proj: Linear::new(&b.at("qkv_proj"), c.hidden_size, all, false),
            widths: [queries, keys],
            head_dim: c.head_dim,
            rotary_dim: c.rotary_dim,
            options,
        }
    }

    /// `[B, S, H]` to the same, with eager attention's weights, which the layer holds.
    fn forward(&self, t: &Tape, x: &Tensor, shared: &Shared) -> (Tensor, Option<Tensor>) {
        let all = self.qkv_proj.forward(t, x);
        let [queries, keys] = self.widths;
        let q = t.slice(&all, -1, 0, queries);
        let k = t.slice(&all, -1, queries, queries + keys);
        let v = t.slice(&all, -1, queries + keys, queries + 2 * keys);
        let part = |y: &Tensor| in_heads(t, y, self.head_dim);
        let (q, k, v) = (part(&q), part(&k), part(&v));
        let parts = |x: &Tensor| {
            let rotated = t.slice(x, -1, 0, self.rotary_dim);
            (rotated, t.slice(x, -1, self.rotary_dim, self.head_dim))
        };
        let rotated = |(rotated, rest): (Tensor, Tensor)| {
            let rotated = rotary::apply(t, &rotated, &shared.cos, &shared.sin);
            t.cat(&[&rotated, &rest], -1)
        };
        let (q_parts, k_parts) = (parts(&q), parts(&k));
        let (rotated_q, rotated_k) = if self.options.liger_rope {
            let [q, k] = t.liger_rope(&q, &k, &shared.cos, &shared.sin);
            (q, k)
        } else {
            (rotated(q_parts), rotated(k_parts))
        };
        let (rotated_k, v) = t.cached(rotated_k, v);
        let mask = shared.mask.as_ref();
        let (out, weights) = attend_with_weights(t, self.options, &rotated_q, &rotated_k, &v, mask);
        let out = t.reshape(&out, [x.dim(0), x.dim(1), queries]);
        let out = t.contiguous(&out);
        let projected = self.o_proj.forward(t, &out);
        drop(all);
        (projected, weights)
    }
}

/// Builds the model.
pub(crate) fn build_phi3(b: &Builder, spec: &ResolvedSpec, facts: Facts) -> Net {
    Net::decoder(Causal::<Phi3Layer>::new(b, spec.config(), spec, facts))
}
