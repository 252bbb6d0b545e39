//! One layer of BERT or ALBERT: norms come after the residual sums.

use super::activation::activated;
use super::attention::{AttentionOptions, attend_as_bert, attend_with_scores, dropped, in_heads};
use super::builder::Builder;
use super::decoder::Block;
use super::facts::{Facts, Transformers};
use super::layers::{LayerNorm, Linear};
use crate::spec::{Activation, Attention, BertConfig, BertKind};
use crate::tape::{Tape, Tensor};

/// `BertLayer`.
pub(super) struct BertLayer {
    query: Linear,
    key: Linear,
    value: Linear,
    attention_output: ResidualNorm,
    intermediate: Linear,
    output: ResidualNorm,
    activation: Activation,
    /// Whether what the last layer reads is gone when the residual is added (ALBERT).
    narrows_first: bool,
    head_dim: u64,
    options: AttentionOptions,
}

/// `BertSelfOutput` or `BertOutput`.
pub(super) struct ResidualNorm {
    pub(super) dense: Linear,
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

    /// The same of a linear layer `dense` and a norm `after` it, which stand in different modules.
    pub(super) fn of(dense: Linear, after: &Builder, c: &BertConfig) -> Self {
        Self {
            dense,
            layer_norm: LayerNorm::new(after, c.hidden_size),
            dropout: c.dropout.residual,
        }
    }

    pub(super) fn forward(&self, t: &Tape, x: &Tensor, residual: &Tensor) -> Tensor {
        self.added(t, self.dense.forward(t, x), residual)
    }

    /// The norm of what the linear layer gave and the residual.
    fn added(&self, t: &Tape, hidden: Tensor, residual: &Tensor) -> Tensor {
        let hidden = dropped(t, hidden, self.dropout);
        let sum = t.add(&hidden, residual);
        let out = self.layer_norm.forward(t, &sum);
        drop(sum);
        drop(hidden);
        out
    }

    /// The same where the caller holds what the linear layer gave (`MPNetAttention`).
    pub(super) fn added_beside(&self, t: &Tape, hidden: &Tensor, residual: &Tensor) -> Tensor {
        let sum = {
            let hidden = dropped(t, hidden.clone(), self.dropout);
            t.add(&hidden, residual)
        };
        self.layer_norm.forward(t, &sum)
    }
}

impl BertLayer {
    pub(super) fn new(b: &Builder, c: &BertConfig, options: AttentionOptions) -> Self {
        if c.kind == BertKind::Albert {
            return Self::of_albert(b, c, options);
        }
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
            activation: c.activation,
            narrows_first: false,
            head_dim: c.head_dim,
            options,
        }
    }

    /// `AlbertLayer`.
    fn of_albert(b: &Builder, c: &BertConfig, options: AttentionOptions) -> Self {
        let (hidden, inner) = (c.hidden_size, c.intermediate_size);
        let last_norm = LayerNorm::new(&b.at("full_layer_layer_norm"), hidden);
        let attention = b.at("attention");
        let linear = |name| Linear::new(&attention.at(name), hidden, hidden, true);
        let (query, key, value) = (linear("query"), linear("key"), linear("value"));
        let attention_output = ResidualNorm::new(&attention, hidden, c);
        Self {
            query,
            key,
            value,
            attention_output,
            intermediate: Linear::new(&b.at("ffn"), hidden, inner, true),
            output: ResidualNorm {
                dense: Linear::new(&b.at("ffn_output"), inner, hidden, true),
                layer_norm: last_norm,
                dropout: false,
            },
            activation: c.activation,
            narrows_first: true,
            head_dim: c.head_dim,
            options,
        }
    }

    /// `[B, S, H]` to the same, with the probabilities where they are returned.
    fn attend(&self, t: &Tape, x: &Tensor, mask: Option<&Tensor>) -> (Tensor, Option<Tensor>) {
        let parted = |y: Tensor| in_heads(t, &y, self.head_dim);
        let heads = |projection: &Linear| parted(projection.forward(t, x));
        let merged = |out: &Tensor| t.view(out, [x.dim(0), x.dim(1), x.dim(2)]);
        let recent = self.options.facts.transformers == Transformers::V5;
        let late = !recent && self.options.implementation == Attention::Eager;
        // Before transformers 5 the heads of eager attention's queries are parted last.
        let (q, k, v) = if late {
            let whole = self.query.forward(t, x);
            let (k, v) = (heads(&self.key), heads(&self.value));
            (parted(whole), k, v)
        } else {
            (heads(&self.query), heads(&self.key), heads(&self.value))
        };
        if late {
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
                activated(t, self.activation, wide)
            });
            t.scoped("output", None, || {
                if self.narrows_first {
                    let narrow = self.output.dense.forward(t, &wide);
                    drop(wide);
                    return self.output.added(t, narrow, &attended);
                }
                self.output.forward(t, &wide, &attended)
            })
        };
        drop((weights, attended));
        out
    }
}
