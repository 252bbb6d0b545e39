//! One layer of the vision transformer: norms come before attention and feed-forward.

use super::activation::activated;
use super::attention::{
    AttentionOptions, attend_as_bert, attend_with_scores, attend_with_weights, dropped, in_heads,
};
use super::builder::Builder;
use super::decoder::Block;
use super::facts::{Facts, Transformers};
use super::layers::{LayerNorm, Linear};
use crate::spec::{Activation, Attention, VitConfig};
use crate::tape::{Tape, Tensor};

/// `ViTLayer`.
pub(super) struct VitLayer {
    query: Linear,
    key: Linear,
    value: Linear,
    output: Linear,
    layernorm_before: LayerNorm,
    layernorm_after: LayerNorm,
    fc1: Linear,
    fc2: Linear,
    head_dim: u64,
    activation: Activation,
    dropout: bool,
    options: AttentionOptions,
}

impl VitLayer {
    pub(super) fn new(b: &Builder, c: &VitConfig, options: AttentionOptions) -> Self {
        let (hidden, inner) = (c.hidden_size, c.intermediate_size);
        let recent = options.facts.transformers == Transformers::V5;
        let attention = b.at("attention");
        let own = if recent {
            attention.same()
        } else {
            attention.at("attention")
        };
        let projection = |recent_name, name| {
            let name = if recent { recent_name } else { name };
            Linear::new(&own.at(name), hidden, hidden, c.qkv_bias)
        };
        let query = projection("q_proj", "query");
        let key = projection("k_proj", "key");
        let value = projection("v_proj", "value");
        let output = if recent {
            attention.at("o_proj")
        } else {
            attention.at("output").at("dense")
        };
        let output = Linear::new(&output, hidden, hidden, true);
        let norms =
            || ["layernorm_before", "layernorm_after"].map(|n| LayerNorm::new(&b.at(n), hidden));
        let feed_forward = || {
            let [fc1, fc2] = if recent {
                let mlp = b.at("mlp");
                [mlp.at("fc1"), mlp.at("fc2")]
            } else {
                [b.at("intermediate").at("dense"), b.at("output").at("dense")]
            };
            [
                Linear::new(&fc1, hidden, inner, true),
                Linear::new(&fc2, inner, hidden, true),
            ]
        };
        let early = recent.then(norms);
        let [fc1, fc2] = feed_forward();
        let [layernorm_before, layernorm_after] = early.unwrap_or_else(norms);
        Self {
            query,
            key,
            value,
            output,
            layernorm_before,
            layernorm_after,
            fc1,
            fc2,
            head_dim: c.head_dim,
            activation: c.activation,
            dropout: c.dropout.residual,
            options,
        }
    }

    /// q, k and v `[B, A, tokens, D]`, in the order in which each version makes them.
    fn projected(&self, t: &Tape, x: &Tensor) -> [Tensor; 3] {
        let made = |projection: &Linear| in_heads(t, &projection.forward(t, x), self.head_dim);
        match self.options.facts.transformers {
            Transformers::V5 => [made(&self.query), made(&self.key), made(&self.value)],
            Transformers::V451 => {
                let (k, v) = (made(&self.key), made(&self.value));
                [made(&self.query), k, v]
            }
            Transformers::V448 => {
                let mixed = self.query.forward(t, x);
                let (k, v) = (made(&self.key), made(&self.value));
                [in_heads(t, &mixed, self.head_dim), k, v]
            }
        }
    }

    /// `[B, tokens, H]` to the same, with eager attention's weights where the layer holds them.
    fn attend(&self, t: &Tape, x: &Tensor) -> (Tensor, Option<Tensor>) {
        let [q, k, v] = self.projected(t, x);
        let version = self.options.facts.transformers;
        let plain = version == Transformers::V448;
        let mut scores = None;
        let (out, weights) = if self.options.implementation != Attention::Eager {
            let parts = [&q, &k, &v];
            if version == Transformers::V451 {
                let parts = parts.map(|x| t.contiguous(x));
                attend_as_bert(t, self.options, parts.each_ref(), None, false)
            } else {
                attend_as_bert(t, self.options, parts, None, false)
            }
        } else if plain {
            let (out, made) = attend_with_scores(t, self.options, [&q, &k, &v], None);
            scores = Some(made);
            (out, None)
        } else {
            attend_with_weights(t, self.options, &q, &k, &v, None)
        };
        let merged = t.reshape(&out, *x.shape());
        drop(out);
        if version == Transformers::V5 {
            return (self.output.forward(t, &merged), weights);
        }
        drop((q, k, v, weights, scores));
        let out = self.output.forward(t, &merged);
        (dropped(t, out, self.dropout), None)
    }
}

impl Block for VitLayer {
    type Shared = ();

    fn outliving((): &(), _facts: Facts) {}

    fn forward(&self, t: &Tape, hidden: &Tensor, (): &()) -> Tensor {
        let recent = self.options.facts.transformers == Transformers::V5;
        let normed = t.scoped("layernorm_before", None, || {
            self.layernorm_before.forward(t, hidden)
        });
        let (mut attended, weights) = t.scoped("attention", None, || self.attend(t, &normed));
        drop(normed);
        if recent {
            attended = dropped(t, attended, self.dropout);
        }
        let sum = t.add(&attended, hidden);
        // transformers 4 holds what attention gave until the layer returns.
        let attended = (!recent).then_some(attended);
        let normed = t.scoped("layernorm_after", None, || {
            self.layernorm_after.forward(t, &sum)
        });
        let wide = t.scoped("mlp", None, || {
            let wide = self.fc1.forward(t, &normed);
            activated(t, self.activation, wide)
        });
        // Since transformers 5 the caller of the MLP holds what it reads.
        let normed = recent.then_some(normed);
        let mut out = t.scoped("mlp", None, || self.fc2.forward(t, &wide));
        drop(normed);
        // In transformers 4 the sum is part of what reads the wide states.
        let wide = (!recent).then_some(wide);
        out = dropped(t, out, self.dropout);
        let result = t.add(&out, &sum);
        drop((wide, out, sum, attended, weights));
        result
    }
}
