//! One layer of BERT or ALBERT: norms come after the residual sums.

use crate::ask::Attention;
use crate::model::{Activation, BertConfig, BertKind, Transformers};
use crate::nn::attention::{
    AttentionOptions, attend_as_bert, attend_with_scores, attend_with_weights, dropped, in_heads,
    rotary_pairs,
};
use crate::nn::build::{Builder, Facts, LayerNorm, Linear};
use crate::nn::decoder::Block;
use crate::nn::mlp::activated;
use crate::tape::{Tape, Tensor};

/// `BertSelfAttention`.
pub(crate) struct SelfAttention {
    query: Linear,
    key: Linear,
    value: Linear,
    head_dim: u64,
    /// Whether eager attention is written out, with the scores in a local variable.
    written_out: bool,
    /// Whether the softmax is taken in float32, and the layer holds no weights (`LayoutLM`).
    wide: bool,
    /// Whether it returns the weights then.
    returns_weights: bool,
    /// Whether positions rotate values, too.
    turns_values: bool,
    options: AttentionOptions,
}

/// `BertLayer`.
pub(crate) struct BertLayer {
    attention: SelfAttention,
    attention_output: ResidualNorm,
    intermediate: Linear,
    output: ResidualNorm,
    activation: Activation,
    /// Whether what the last layer reads is gone when the residual is added (ALBERT).
    narrows_first: bool,
}

/// `BertSelfOutput` or `BertOutput`.
pub(crate) struct ResidualNorm {
    pub(crate) dense: Linear,
    /// None where norms come before.
    layer_norm: Option<LayerNorm>,
    dropout: bool,
}

impl ResidualNorm {
    pub(crate) fn new(b: &Builder, inputs: u64, c: &BertConfig) -> Self {
        Self {
            dense: Linear::new(&b.at("dense"), inputs, c.hidden_size, true),
            layer_norm: Some(
                LayerNorm::new(&b.at("LayerNorm"), c.hidden_size)
                    .written_out(c.kind == BertKind::DebertaV1),
            ),
            dropout: c.dropout.residual,
        }
    }

    /// A transform without a norm.
    pub(crate) fn plain(b: &Builder, inputs: u64, c: &BertConfig, dropout: bool) -> Self {
        Self {
            dense: Linear::new(&b.at("dense"), inputs, c.hidden_size, true),
            layer_norm: None,
            dropout,
        }
    }

    /// A transform of a linear layer `dense` and a norm `after` it, which stand in different modules.
    pub(crate) fn of(dense: Linear, after: &Builder, c: &BertConfig) -> Self {
        Self {
            dense,
            layer_norm: Some(LayerNorm::new(after, c.hidden_size)),
            dropout: c.dropout.residual,
        }
    }

    pub(crate) fn forward(&self, t: &Tape, x: &Tensor, residual: &Tensor) -> Tensor {
        self.added(t, self.dense.forward(t, x), residual)
    }

    /// The norm of what the linear layer gave and the residual.
    fn added(&self, t: &Tape, hidden: Tensor, residual: &Tensor) -> Tensor {
        let hidden = dropped(t, hidden, self.dropout);
        let sum = t.add(&hidden, residual);
        let out = self.normed(t, &sum);
        drop(sum);
        drop(hidden);
        out
    }

    /// Adds where the caller holds the result of the linear layer (`MPNetAttention`).
    pub(crate) fn added_beside(&self, t: &Tape, hidden: &Tensor, residual: &Tensor) -> Tensor {
        let sum = {
            let hidden = dropped(t, hidden.clone(), self.dropout);
            t.add(&hidden, residual)
        };
        self.normed(t, &sum)
    }

    fn normed(&self, t: &Tape, sum: &Tensor) -> Tensor {
        match &self.layer_norm {
            Some(norm) => norm.forward(t, sum),
            None => sum.clone(),
        }
    }
}

impl SelfAttention {
    /// Attention by the linear layers below `b`.
    pub(crate) fn new(b: &Builder, c: &BertConfig, options: AttentionOptions) -> Self {
        let linear = |name| Linear::new(&b.at(name), c.hidden_size, c.hidden_size, true);
        let alone = c.kind.writes_attention_out();
        Self {
            query: linear("query"),
            key: linear("key"),
            value: linear("value"),
            head_dim: c.head_dim,
            written_out: alone || options.facts.transformers != Transformers::V5,
            wide: c.kind == BertKind::LayoutLm,
            returns_weights: alone,
            turns_values: c.rotary_value,
            options,
        }
    }

    /// `[B, S, H]` to the same, with the probabilities where they are returned.
    pub(crate) fn attend(
        &self,
        t: &Tape,
        x: &Tensor,
        mask: Option<&Tensor>,
    ) -> (Tensor, Option<Tensor>) {
        self.attend_rotated(t, x, mask, None)
    }

    /// Attends where sines and cosines `[1, 1, S, D]` rotate queries and keys, or values, too.
    fn attend_rotated(
        &self,
        t: &Tape,
        x: &Tensor,
        mask: Option<&Tensor>,
        positions: Option<&Tensor>,
    ) -> (Tensor, Option<Tensor>) {
        let parted = |y: Tensor| in_heads(t, &y, self.head_dim);
        let heads = |projection: &Linear| parted(projection.forward(t, x));
        let merged = |out: &Tensor| t.view(out, [x.dim(0), x.dim(1), x.dim(2)]);
        let written_out = self.written_out && self.options.implementation == Attention::Eager;
        // Before transformers 5 the heads of its queries are parted last.
        let late = written_out && self.options.facts.transformers != Transformers::V5;
        let (mut q, mut k, mut v) = if late {
            let whole = self.query.forward(t, x);
            let (k, v) = (heads(&self.key), heads(&self.value));
            (parted(whole), k, v)
        } else {
            (heads(&self.query), heads(&self.key), heads(&self.value))
        };
        if let Some(positions) = positions {
            let values = self.turns_values.then_some(&v);
            let (rotated, values) = rotary_pairs::apply_joined(t, [&q, &k], values, positions);
            [q, k] = rotated;
            v = values.unwrap_or(v);
        }
        if written_out {
            let (out, [_scores, weights]) =
                attend_with_scores(t, self.options, [&q, &k, &v], mask.cloned());
            return (merged(&out), self.returns_weights.then_some(weights));
        }
        let (out, weights) = if self.wide {
            attend_with_weights(t, self.options, &q, &k, &v, mask)
        } else {
            attend_as_bert(t, self.options, [&q, &k, &v], mask, false)
        };
        (merged(&out), weights)
    }
}

impl BertLayer {
    pub(crate) fn new(b: &Builder, c: &BertConfig, options: AttentionOptions) -> Self {
        if c.kind == BertKind::Albert {
            return Self::of_albert(b, c, options);
        }
        let attention = b.at("attention");
        let own = SelfAttention::new(&attention.at("self"), c, options);
        let attention_output = ResidualNorm::new(&attention.at("output"), c.hidden_size, c);
        let dense = b.at("intermediate").at("dense");
        let intermediate = Linear::new(&dense, c.hidden_size, c.intermediate_size, true);
        let output = ResidualNorm::new(&b.at("output"), c.intermediate_size, c);
        Self {
            attention: own,
            attention_output,
            intermediate,
            output,
            activation: c.activation,
            narrows_first: false,
        }
    }

    /// `AlbertLayer`.
    fn of_albert(b: &Builder, c: &BertConfig, options: AttentionOptions) -> Self {
        let (hidden, inner) = (c.hidden_size, c.intermediate_size);
        let last_norm = LayerNorm::new(&b.at("full_layer_layer_norm"), hidden);
        let attention = b.at("attention");
        let own = SelfAttention::new(&attention, c, options);
        let attention_output = ResidualNorm::new(&attention, hidden, c);
        Self {
            attention: own,
            attention_output,
            intermediate: Linear::new(&b.at("ffn"), hidden, inner, true),
            output: ResidualNorm {
                dense: Linear::new(&b.at("ffn_output"), inner, hidden, true),
                layer_norm: Some(last_norm),
                dropout: false,
            },
            activation: c.activation,
            narrows_first: true,
        }
    }
}

impl Block for BertLayer {
    /// The mask.
    type Shared = Option<Tensor>;

    fn outliving(mask: &Option<Tensor>, _facts: Facts) -> Option<Tensor> {
        mask.clone()
    }

    fn forward(&self, t: &Tape, x: &Tensor, mask: &Option<Tensor>) -> Tensor {
        self.forward_with_weights(t, x, mask.as_ref(), None).0
    }
}

impl BertLayer {
    /// `[B, S, H]` to the same, with the weights that the layer holds; `positions` as
    /// [`SelfAttention::attend_rotated`] takes them.
    pub(crate) fn forward_with_weights(
        &self,
        t: &Tape,
        x: &Tensor,
        mask: Option<&Tensor>,
        positions: Option<&Tensor>,
    ) -> (Tensor, Option<Tensor>) {
        let (attended, weights) = t.scoped("attention", None, || {
            let (out, weights) = self.attention.attend_rotated(t, x, mask, positions);
            let attended = self.attention_output.forward(t, &out, x);
            (attended, weights.filter(|_| !self.attention.wide))
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
        drop(attended);
        (out, weights)
    }
}
