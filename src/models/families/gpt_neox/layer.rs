//! `GPT-NeoX` and Pythia (`models/gpt_neox/modeling_gpt_neox.py`).

use crate::ask::Attention;
use crate::families::network::Net;
use crate::model::{DecoderConfig, ResolvedSpec, Transformers};
use crate::nn::attention::{AttentionOptions, Rotary, attend_with_weights, dropped, rotary};
use crate::nn::build::{Builder, Facts, LayerNorm, Linear};
use crate::nn::decoder::{Causal, Layer, Shared, WeighingBlock};
use crate::tape::{Tape, Tensor};
use crate::units::Shape;

/// `GPTNeoXLayer`.
pub(crate) struct GptNeoxLayer {
    input_layernorm: LayerNorm,
    post_attention_layernorm: LayerNorm,
    attention: SelfAttention,
    mlp: Mlp,
    parallel: bool,
    dropout: bool,
}

struct SelfAttention {
    /// In transformers 4.48 a causal mask of all positions, the number for what it hides, and
    /// frequencies, all without use.
    _unused: Option<([Tensor; 2], Rotary)>,
    query_key_value: Linear,
    dense: Linear,
    head_dim: u64,
    rotary_dim: u64,
    options: AttentionOptions,
}

struct Mlp {
    dense_h_to_4h: Linear,
    dense_4h_to_h: Linear,
}

impl Layer for GptNeoxLayer {
    fn new(b: &Builder, c: &DecoderConfig, options: AttentionOptions) -> Self {
        Self {
            input_layernorm: LayerNorm::new(&b.at("input_layernorm"), c.hidden_size),
            post_attention_layernorm: LayerNorm::new(
                &b.at("post_attention_layernorm"),
                c.hidden_size,
            ),
            attention: SelfAttention::new(&b.at("attention"), c, options),
            mlp: Mlp::new(&b.at("mlp"), c),
            parallel: c.parallel_residual,
            dropout: c.dropout.residual,
        }
    }
}

impl WeighingBlock for GptNeoxLayer {
    type Shared = Shared;

    fn outliving(shared: &Shared, facts: Facts) -> Shared {
        shared.outliving(facts)
    }

    fn forward(&self, t: &Tape, hidden: &Tensor, shared: &Shared) -> (Tensor, Option<Tensor>) {
        let (attended, weights) = {
            let x = t.scoped("input_layernorm", None, || {
                self.input_layernorm.forward(t, hidden)
            });
            t.scoped("attention", None, || self.attention.forward(t, &x, shared))
        };
        // The result of attention stays in a local variable.
        let early = self.attention.options.facts.transformers == Transformers::V448;
        let _returned = early.then(|| attended.clone());
        let mut attended = dropped(t, attended, self.dropout);
        if !self.parallel {
            attended = t.add(&attended, hidden);
        }
        let read = if self.parallel { hidden } else { &attended };
        let changed = {
            let x = t.scoped("post_attention_layernorm", None, || {
                self.post_attention_layernorm.forward(t, read)
            });
            t.scoped("mlp", None, || self.mlp.forward(t, &x))
        };
        let changed = dropped(t, changed, self.dropout);
        let sum = t.add(&changed, &attended);
        let out = if self.parallel {
            t.add(&sum, hidden)
        } else {
            sum
        };
        drop((weights, changed, attended));
        (out, None)
    }
}

impl SelfAttention {
    fn new(b: &Builder, c: &DecoderConfig, options: AttentionOptions) -> Self {
        let (hidden, bias) = (c.hidden_size, c.attention_bias);
        let facts = options.facts;
        let unused = (facts.transformers == Transformers::V448).then(|| {
            let square = [c.positions, c.positions];
            let masks = [
                b.triangle("bias", square),
                b.buffer("masked_bias", Shape::new(&[]), b.loaded_dtype()),
            ];
            (masks, Rotary::new(&b.at("rotary_emb"), c.rotary_dim, facts))
        });
        Self {
            _unused: unused,
            query_key_value: Linear::new(&b.at("query_key_value"), hidden, 3 * hidden, bias),
            dense: Linear::new(&b.at("dense"), hidden, hidden, bias),
            head_dim: c.head_dim,
            rotary_dim: c.rotary_dim,
            options,
        }
    }

    /// `[B, S, H]` to the same, with eager attention's weights, which the layer holds since 4.51.
    fn forward(&self, t: &Tape, x: &Tensor, shared: &Shared) -> (Tensor, Option<Tensor>) {
        let dim = self.head_dim;
        let before = self.options.facts.transformers == Transformers::V448;
        let all = {
            let all = self.query_key_value.forward(t, x);
            t.view(&all, [x.dim(0), x.dim(1), all.dim(2) / (3 * dim), 3 * dim])
        };
        let [q, k, v] = if before {
            let part = |i| t.transpose(&t.slice(&all, -1, i * dim, (i + 1) * dim), 1, 2);
            [0, 1, 2].map(part)
        } else {
            t.split(&t.transpose(&all, 1, 2), [dim; 3], -1)
        };
        let (q, k) = {
            let parts = |x: &Tensor| {
                let rotated = t.slice(x, -1, 0, self.rotary_dim);
                (rotated, t.slice(x, -1, self.rotary_dim, dim))
            };
            let ((q, q_rest), (k, k_rest)) = (parts(&q), parts(&k));
            let q = rotary::apply(t, &q, &shared.cos, &shared.sin);
            let k = rotary::apply(t, &k, &shared.cos, &shared.sin);
            let whole_q = t.cat(&[&q, &q_rest], -1);
            drop(q);
            (whole_q, t.cat(&[&k, &k_rest], -1))
        };
        let (k, v) = t.cached(k, v);
        let mask = shared.mask.as_ref();
        let eager = self.options.implementation == Attention::Eager;
        let mut own = None;
        let (out, weights) = if before && eager {
            let (out, weights) = self.weighed(t, [&q, &k, &v], mask);
            own = Some(weights);
            (out, None)
        } else if before {
            let (q, k) = (t.to(&q, v.dtype()), t.to(&k, v.dtype()));
            attend_with_weights(t, self.options, &q, &k, &v, mask)
        } else {
            attend_with_weights(t, self.options, &q, &k, &v, mask)
        };
        let out = t.reshape(&out, [x.dim(0), x.dim(1), out.dim(2) * out.dim(3)]);
        let out = t.contiguous(&out);
        let projected = self.dense.forward(t, &out);
        drop((all, own));
        (projected, weights)
    }

    /// `eager_attention_forward` of transformers 4.48, which adds the scores to zeros: q, k and v
    /// `[B, A, S, D]` to `[B, S, A, D]`, and the weights.
    fn weighed(
        &self,
        t: &Tape,
        [q, k, v]: [&Tensor; 3],
        mask: Option<&Tensor>,
    ) -> (Tensor, Tensor) {
        let (b, heads, s, keys) = (q.dim(0), q.dim(1), q.dim(2), k.dim(2));
        let mut scores = {
            let flat = |x: &Tensor| t.view(x, [b * heads, x.dim(2), self.head_dim]);
            let (q, k) = (flat(q), flat(k));
            let zeros = t.empty("zeros", Shape::from([b * heads, s, keys]), q.dtype());
            let scores = t.baddbmm(&zeros, &q, &t.transpose(&k, 1, 2));
            t.view(&scores, [b, heads, s, keys])
        };
        if let Some(mask) = mask {
            scores = t.add(&scores, mask);
        }
        let weights = t.to(&t.softmax(&scores, None), v.dtype());
        let weights = dropped(t, weights, self.options.dropout);
        let out = t.matmul(&weights, v);
        let out = t.contiguous(&t.transpose(&out, 1, 2));
        drop(scores);
        (out, weights)
    }
}

impl Mlp {
    fn new(b: &Builder, c: &DecoderConfig) -> Self {
        let (hidden, intermediate) = (c.hidden_size, c.intermediate_size);
        Self {
            dense_h_to_4h: Linear::new(&b.at("dense_h_to_4h"), hidden, intermediate, true),
            dense_4h_to_h: Linear::new(&b.at("dense_4h_to_h"), intermediate, hidden, true),
        }
    }

    fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        let active = {
            let inner = self.dense_h_to_4h.forward(t, x);
            t.gelu(&inner)
        };
        self.dense_4h_to_h.forward(t, &active)
    }
}

/// Builds the model.
pub(crate) fn build(b: &Builder, spec: &ResolvedSpec, facts: Facts) -> Net {
    Net::decoder(Causal::<GptNeoxLayer>::new(b, spec.config(), spec, facts))
}
