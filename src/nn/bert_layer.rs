//! One layer of BERT: norms come after the residual sums.

use super::attention::{AttentionOptions, attend_as_bert, attend_with_scores, dropped, in_heads};
use super::builder::Builder;
use super::decoder::Block;
use super::facts::{Facts, Transformers};
use super::layers::{LayerNorm, Linear};
use crate::spec::{Attention, BertConfig};
use crate::tape::{Tape, Tensor};

/// `BertLayer`.
pub(super) struct BertLayer {
    query: Linear,
    key: Linear,
    value: Linear,
    attention_output: ResidualNorm,
    intermediate: Linear,
    output: ResidualNorm,
    head_dim: u64,
    options: AttentionOptions,
}

/// `BertSelfOutput` or `BertOutput`.
pub(super) struct ResidualNorm {
    dense: Linear,
    layer_norm: LayerNorm,
    dropout: bool,
}

impl ResidualNorm {
    pub(super) fn new(b: &Builder, inputs: u64, c: &BertConfig) -> Self {
        Self {
            dense: Linear::new(&b.at("dense"), inputs, c.hidden_size, true),
            layer_norm: LayerNorm::new(&b.at("LayerNorm"), c.hidden_size),
            dropout: c.dropout.residual,
        }
    }

    pub(super) fn forward(&self, t: &Tape, x: &Tensor, residual: &Tensor) -> Tensor {
        let hidden = self.dense.forward(t, x);
        let hidden = dropped(t, hidden, self.dropout);
        let sum = t.add(&hidden, residual);
        let out = self.layer_norm.forward(t, &sum);
        drop(sum);
        drop(hidden);
        out
    }
}

impl BertLayer {
    pub(super) fn new(b: &Builder, c: &BertConfig, options: AttentionOptions) -> Self {
        let attention = b.at("attention");
        let own = attention.at("self");
        let linear = |name| Linear::new(&own.at(name), c.hidden_size, c.hidden_size, true);
        let (query, key, value) = (linear("query"), linear("key"), linear("value"));
        let attention_output = ResidualNorm::new(&attention.at("output"), c.hidden_size, c);
        let dense = b.at("intermediate").at("dense");
        let intermediate = Linear::new(&dense, c.hidden_size, c.intermediate_size, true);
        let output = ResidualNorm::new(&b.at("output"), c.intermediate_size, c);
        Self {
            query,
            key,
            value,
            attention_output,
            intermediate,
            output,
            head_dim: c.head_dim,
            options,
        }
    }

    /// `[B, S, H]` to the same, with the probabilities where they are returned.
    fn attend(&self, t: &Tape, x: &Tensor, mask: Option<&Tensor>) -> (Tensor, Option<Tensor>) {
        let heads = |projection: &Linear| in_heads(t, &projection.forward(t, x), self.head_dim);
        let (q, k, v) = (heads(&self.query), heads(&self.key), heads(&self.value));
        let merged = |out: &Tensor| t.view(out, [x.dim(0), x.dim(1), x.dim(2)]);
        let recent = self.options.facts.transformers == Transformers::V5;
        if !recent && self.options.implementation == Attention::Eager {
            let (out, _locals) = attend_with_scores(t, self.options, [&q, &k, &v], mask);
            return (merged(&out), None);
        }
        let (out, weights) = attend_as_bert(t, self.options, [&q, &k, &v], mask, false);
        (merged(&out), weights)
    }
}

impl Block for BertLayer {
    /// The mask.
    type Shared = Option<Tensor>;

    fn outliving(mask: &Option<Tensor>, _facts: Facts) -> Option<Tensor> {
        mask.clone()
    }

    fn forward(&self, t: &Tape, x: &Tensor, mask: &Option<Tensor>) -> Tensor {
        let (attended, weights) = t.scoped("attention", None, || {
            let (out, weights) = self.attend(t, x, mask.as_ref());
            (self.attention_output.forward(t, &out, x), weights)
        });
        let out = {
            let wide = t.scoped("intermediate", None, || {
                let wide = self.intermediate.forward(t, &attended);
                t.gelu(&wide)
            });
            t.scoped("output", None, || self.output.forward(t, &wide, &attended))
        };
        drop((weights, attended));
        out
    }
}
