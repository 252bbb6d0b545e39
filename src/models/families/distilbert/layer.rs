//! One layer of `DistilBERT`: norms come after the residual sums.

use crate::ask::Attention;
use crate::model::{Activation, DistilBertConfig, Transformers};
use crate::nn::attention::{AttentionOptions, attend_as_bert, dropped, in_heads};
use crate::nn::build::{Builder, Facts, LayerNorm, Linear};
use crate::nn::decoder::Block;
use crate::nn::mlp::activated;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// `TransformerBlock`.
pub(crate) struct DistilBertLayer {
    q_lin: Linear,
    k_lin: Linear,
    v_lin: Linear,
    out_lin: Linear,
    sa_layer_norm: LayerNorm,
    lin1: Linear,
    lin2: Linear,
    output_layer_norm: LayerNorm,
    head_dim: u64,
    activation: Activation,
    dropout: bool,
    options: AttentionOptions,
}

/// The mask, which every layer is given.
#[derive(Clone)]
pub(crate) struct Shared(pub(crate) Option<Tensor>);

impl DistilBertLayer {
    pub(crate) fn new(b: &Builder, c: &DistilBertConfig, options: AttentionOptions) -> Self {
        let attention = b.at("attention");
        let linear = |name| Linear::new(&attention.at(name), c.dim, c.dim, true);
        let (q_lin, k_lin, v_lin) = (linear("q_lin"), linear("k_lin"), linear("v_lin"));
        let out_lin = linear("out_lin");
        let sa_layer_norm = LayerNorm::new(&b.at("sa_layer_norm"), c.dim);
        let ffn = b.at("ffn");
        Self {
            q_lin,
            k_lin,
            v_lin,
            out_lin,
            sa_layer_norm,
            lin1: Linear::new(&ffn.at("lin1"), c.dim, c.hidden_dim, true),
            lin2: Linear::new(&ffn.at("lin2"), c.hidden_dim, c.dim, true),
            output_layer_norm: LayerNorm::new(&b.at("output_layer_norm"), c.dim),
            head_dim: c.head_dim,
            activation: c.activation,
            dropout: c.dropout.residual,
            options,
        }
    }

    /// `[B, S, H]` to the same, with eager attention's weights where the layer holds them.
    fn attend(&self, t: &Tape, x: &Tensor, mask: Option<&Tensor>) -> (Tensor, Option<Tensor>) {
        let heads = |projection: &Linear| in_heads(t, &projection.forward(t, x), self.head_dim);
        let (q, k, v) = (heads(&self.q_lin), heads(&self.k_lin), heads(&self.v_lin));
        let recent = self.options.facts.transformers == Transformers::V5;
        if !recent && self.options.implementation == Attention::Eager {
            return (self.eager_of_four(t, q, [k, v]), None);
        }
        let (out, weights) = attend_as_bert(t, self.options, [&q, &k, &v], mask, false);
        let merged = t.reshape(&out, *x.shape());
        drop(out);
        (self.out_lin.forward(t, &merged), weights)
    }

    /// transformers 4: queries are scaled, masked scores are filled, and all of it stays in local
    /// variables.
    fn eager_of_four(&self, t: &Tape, q: Tensor, [k, v]: [Tensor; 2]) -> Tensor {
        let (b, heads, s) = (q.dim(0), q.dim(1), q.dim(2));
        let scaled = t.div_scalar(&q);
        drop(q);
        let padding;
        let scores = {
            let product = t.matmul(&scaled, &t.transpose(&k, 2, 3));
            padding = t.empty("eq", Shape::from([b, 1, 1, s]), DType::Bool);
            t.masked_fill(&product, &t.expand(&padding, [b, heads, s, s]))
        };
        let weights = t.softmax(&scores, None);
        let weights = dropped(t, weights, self.options.dropout);
        let out = t.matmul(&weights, &v);
        let merged = {
            let out = t.contiguous(&t.transpose(&out, 1, 2));
            t.view(&out, [b, s, heads * self.head_dim])
        };
        drop(out);
        let result = self.out_lin.forward(t, &merged);
        drop((scores, padding, weights, scaled, k, v));
        result
    }
}

impl Block for DistilBertLayer {
    type Shared = Shared;

    fn outliving(shared: &Shared, facts: Facts) -> Shared {
        Shared(
            shared
                .0
                .clone()
                .filter(|_| facts.transformers == Transformers::V5),
        )
    }

    fn forward(&self, t: &Tape, hidden: &Tensor, shared: &Shared) -> Tensor {
        let (attended, weights) = t.scoped("attention", None, || {
            self.attend(t, hidden, shared.0.as_ref())
        });
        let first = self.sa_layer_norm.forward(t, &t.add(&attended, hidden));
        drop(attended);
        let forwarded = t.scoped("ffn", None, || {
            let wide = activated(t, self.activation, self.lin1.forward(t, &first));
            let narrow = self.lin2.forward(t, &wide);
            drop(wide);
            dropped(t, narrow, self.dropout)
        });
        let out = self
            .output_layer_norm
            .forward(t, &t.add(&forwarded, &first));
        drop((forwarded, first, weights));
        out
    }
}
