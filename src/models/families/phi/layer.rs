//! Phi-1, 1.5 and 2 (`models/phi/modeling_phi.py`).

use crate::families::network::Net;
use crate::model::{DecoderConfig, ResolvedSpec};
use crate::nn::attention::{AttentionOptions, attend_with_weights, dropped, in_heads, rotary};
use crate::nn::build::{Builder, Facts, LayerNorm, Linear};
use crate::nn::decoder::{Causal, Layer, Shared, WeighingBlock};
use crate::nn::mlp::gelu_new;
use crate::tape::{Tape, Tensor};

/// The norms of queries and keys.
const HEAD_NORMS: [&str; 2] = ["q_layernorm", "k_layernorm"];

/// `PhiDecoderLayer`: attention and MLP read the same normalized states.
pub(crate) struct PhiLayer {
    attention: SelfAttention,
    fc1: Linear,
    fc2: Linear,
    input_layernorm: LayerNorm,
    dropout: bool,
}

struct SelfAttention {
    projections: [Linear; 3],
    dense: Linear,
    /// Norms of single heads of queries and keys.
    norms: Option<[LayerNorm; 2]>,
    head_dim: u64,
    rotary_dim: u64,
    options: AttentionOptions,
}

impl Layer for PhiLayer {
    fn new(b: &Builder, c: &DecoderConfig, options: AttentionOptions) -> Self {
        let (hidden, inner) = (c.hidden_size, c.intermediate_size);
        let mlp = b.at("mlp");
        Self {
            attention: SelfAttention::new(&b.at("self_attn"), c, options),
            fc1: Linear::new(&mlp.at("fc1"), hidden, inner, true),
            fc2: Linear::new(&mlp.at("fc2"), inner, hidden, true),
            input_layernorm: LayerNorm::new(&b.at("input_layernorm"), hidden),
            dropout: c.dropout.residual,
        }
    }
}

impl WeighingBlock for PhiLayer {
    type Shared = Shared;

    fn outliving(shared: &Shared, facts: Facts) -> Shared {
        shared.outliving(facts)
    }

    fn forward(&self, t: &Tape, hidden: &Tensor, shared: &Shared) -> (Tensor, Option<Tensor>) {
        let x = t.scoped("input_layernorm", None, || {
            self.input_layernorm.forward(t, hidden)
        });
        let (attended, weights) =
            t.scoped("self_attn", None, || self.attention.forward(t, &x, shared));
        let attended = dropped(t, attended, self.dropout);
        let changed = t.scoped("mlp", None, || {
            let active = {
                let inner = self.fc1.forward(t, &x);
                gelu_new(t, inner)
            };
            self.fc2.forward(t, &active)
        });
        let changed = dropped(t, changed, self.dropout);
        let sum = t.add(&attended, &changed);
        let out = t.add(&sum, hidden);
        drop((sum, x, attended, changed, weights));
        (out, None)
    }
}

impl SelfAttention {
    fn new(b: &Builder, c: &DecoderConfig, options: AttentionOptions) -> Self {
        let (queries, keys) = (
            c.num_attention_heads * c.head_dim,
            c.num_key_value_heads * c.head_dim,
        );
        let projections = [("q_proj", queries), ("k_proj", keys), ("v_proj", keys)]
            .map(|(name, outputs)| Linear::new(&b.at(name), c.hidden_size, outputs, true));
        let dense = Linear::new(&b.at("dense"), queries, c.hidden_size, true);
        let norm = |name| LayerNorm::new(&b.at(name), c.head_dim);
        Self {
            projections,
            dense,
            norms: c.head_norms.then(|| HEAD_NORMS.map(norm)),
            head_dim: c.head_dim,
            rotary_dim: c.rotary_dim,
            options,
        }
    }

    /// `[B, S, H]` to the same, with eager attention's weights, which the layer holds.
    fn forward(&self, t: &Tape, x: &Tensor, shared: &Shared) -> (Tensor, Option<Tensor>) {
        let [mut q, mut k, v] = self
            .projections
            .each_ref()
            .map(|projection| in_heads(t, &projection.forward(t, x), self.head_dim));
        if let Some([q_norm, k_norm]) = &self.norms {
            q = q_norm.forward(t, &q);
            k = k_norm.forward(t, &k);
        }
        let parts = |x: &Tensor| {
            let rotated = t.slice(x, -1, 0, self.rotary_dim);
            (rotated, t.slice(x, -1, self.rotary_dim, self.head_dim))
        };
        let ((q_part, q_rest), (k_part, k_rest)) = (parts(&q), parts(&k));
        // The rotated tensors stay in local variables.
        let rotated_q = rotary::apply(t, &q_part, &shared.cos, &shared.sin);
        let rotated_k = rotary::apply(t, &k_part, &shared.cos, &shared.sin);
        let whole_q = t.cat(&[&rotated_q, &q_rest], -1);
        let whole_k = t.cat(&[&rotated_k, &k_rest], -1);
        let (whole_k, v) = t.cached(whole_k, v);
        let mask = shared.mask.as_ref();
        let (out, weights) = attend_with_weights(t, self.options, &whole_q, &whole_k, &v, mask);
        let out = t.reshape(&out, [x.dim(0), x.dim(1), out.dim(2) * out.dim(3)]);
        let out = t.contiguous(&out);
        (self.dense.forward(t, &out), weights)
    }
}

/// Builds the model.
pub(crate) fn build(b: &Builder, spec: &ResolvedSpec, facts: Facts) -> Net {
    Net::decoder(Causal::<PhiLayer>::new(b, spec.config(), spec, facts))
}
