//! The layers of T5: attention and feed-forward, each with a norm before and a residual around.

use super::attention::{Attended, Given, T5Attention};
use super::network::T5Options;
use crate::families::network::Shared;
use crate::model::{Activation, T5Config, Transformers};
use crate::nn::attention::dropped;
use crate::nn::build::{Builder, Linear};
use crate::nn::mlp::activated;
use crate::tape::{Tape, Tensor};
use crate::units::DType;

/// `T5LayerNorm`: no mean and no bias; only the variance is computed in float32.
pub(crate) struct T5Norm {
    weight: Tensor,
}

impl T5Norm {
    pub(crate) fn new(b: &Builder, size: u64) -> Self {
        let weight = b.parameter("weight", [size]);
        Self { weight }
    }

    pub(crate) fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        t.with_own("norm", [Some(&self.weight)], x, |x| self.normalize(t, x))
    }

    fn normalize(&self, t: &Tape, x: &Tensor) -> Tensor {
        let variance = {
            let square = {
                let wide = t.to(x, DType::Float32);
                t.pow(&wide)
            };
            t.mean_last(&square)
        };
        let mut normalized = {
            let scale = {
                let shifted = t.add_scalar(&variance);
                t.rsqrt(&shifted)
            };
            t.mul(x, &scale)
        };
        if self.weight.dtype().is_half() {
            normalized = t.to(&normalized, self.weight.dtype());
        }
        t.mul(&self.weight, &normalized)
    }
}

/// `T5Block`.
pub(crate) struct Block {
    attention: AttentionLayer,
    cross: Option<AttentionLayer>,
    feed_forward: FeedForward,
    options: T5Options,
}

/// `T5LayerSelfAttention` or `T5LayerCrossAttention`.
struct AttentionLayer {
    attention: T5Attention,
    layer_norm: T5Norm,
    dropout: bool,
    /// Whether the bias goes on to the next layer.
    shares_bias: bool,
}

/// `T5LayerFF` with `T5DenseActDense` or `T5DenseGatedActDense`.
struct FeedForward {
    wi: Linear,
    /// The second factor, when the first is a gate.
    linear: Option<Linear>,
    wo: Linear,
    wo_dtype: DType,
    activation: Activation,
    layer_norm: T5Norm,
    dropout: bool,
}

/// Biases that go from block to block.
#[derive(Clone)]
pub(crate) struct Biases {
    pub(crate) own: Option<Tensor>,
    pub(crate) cross: Option<Tensor>,
}

impl Block {
    pub(crate) fn new(
        b: &Builder,
        c: &T5Config,
        options: T5Options,
        decoder: bool,
        biased: bool,
    ) -> Self {
        let layer = |index, name, biased| {
            let b = b.item("layer", index);
            AttentionLayer {
                attention: T5Attention::new(&b.at(name), c, options, decoder, biased),
                layer_norm: T5Norm::new(&b.at("layer_norm"), c.d_model),
                dropout: c.dropout,
                shares_bias: !options.own_biases,
            }
        };
        let attention = layer(0, "SelfAttention", biased);
        let cross = decoder.then(|| layer(1, "EncDecAttention", false));
        let feed_forward = FeedForward::new(&b.item("layer", if decoder { 2 } else { 1 }), c);
        Self {
            attention,
            cross,
            feed_forward,
            options,
        }
    }

    pub(crate) fn forward(
        &self,
        t: &Tape,
        x: &Tensor,
        shared: &Shared,
        biases: &Biases,
    ) -> (Tensor, Biases) {
        let given = Given {
            encoder: None,
            mask: shared.mask.as_ref(),
            bias: biases.own.as_ref(),
        };
        let LayerOutputs {
            out: mut hidden,
            bias: own,
            mut weights,
        } = t.scoped("layer", Some(0), || {
            self.attention.forward(t, x, given, "SelfAttention")
        });
        // The results of the layers are kept as tuples until the block returns (transformers 4).
        let recent = self.options.facts.transformers == Transformers::V5;
        let tuples = !recent;
        let mut kept = tuples.then(|| vec![hidden.clone()]);
        // One variable takes the limit of each clamp.
        let mut limit = clamped(t, &mut hidden, recent);
        let mut cross_bias = None;
        if let (Some(cross), Some(encoder)) = (&self.cross, &shared.encoder) {
            let given = Given {
                encoder: Some(encoder),
                mask: shared.encoder_mask.as_ref(),
                bias: biases.cross.as_ref(),
            };
            // query_length: cache_position[-1] + 1
            let length =
                tuples.then(|| t.empty("add", crate::units::Shape::new(&[]), DType::Int64));
            let LayerOutputs {
                out: next,
                bias,
                weights: next_weights,
            } = t.scoped("layer", Some(1), || {
                cross.forward(t, &hidden, given, "EncDecAttention")
            });
            drop(length);
            hidden = next;
            weights = next_weights;
            cross_bias = bias;
            if let Some(kept) = &mut kept {
                kept.push(hidden.clone());
            }
            limit = clamped(t, &mut hidden, recent).or(limit);
        }
        let index = if self.cross.is_some() { 2 } else { 1 };
        let mut out = t.scoped("layer", Some(index), || {
            self.feed_forward.forward(t, &hidden)
        });
        drop(hidden);
        limit = clamped(t, &mut out, recent).or(limit);
        drop(limit);
        drop(weights);
        drop(kept);
        let biases = Biases {
            own,
            cross: cross_bias,
        };
        (out, biases)
    }
}

/// In float16 the hidden states are kept finite; gives the limit.
fn clamped(t: &Tape, hidden: &mut Tensor, recent: bool) -> Option<Tensor> {
    (hidden.dtype() == DType::Float16).then(|| {
        let (finite, limit) = t.clamp_to_finite(hidden, recent);
        *hidden = finite;
        limit
    })
}

/// `attention_outputs` of a layer.
struct LayerOutputs {
    /// `[B, S, H]`.
    out: Tensor,
    /// The bias, where layers after it are given the same.
    bias: Option<Tensor>,
    /// The weights of eager attention.
    weights: Option<Tensor>,
}

impl AttentionLayer {
    fn forward(&self, t: &Tape, x: &Tensor, given: Given, name: &'static str) -> LayerOutputs {
        let normed = t.scoped("layer_norm", None, || self.layer_norm.forward(t, x));
        let Attended {
            output,
            bias,
            weights,
        } = t.scoped(name, None, || self.attention.forward(t, &normed, given));
        let bias = Some(bias).filter(|_| self.shares_bias);
        let added = dropped(t, output.clone(), self.dropout);
        let out = t.add(x, &added);
        drop(added);
        drop(output);
        drop(normed);
        LayerOutputs { out, bias, weights }
    }
}

impl FeedForward {
    fn new(b: &Builder, c: &T5Config) -> Self {
        let dense = b.at("DenseReluDense");
        let into = |name| Linear::new(&dense.at(name), c.d_model, c.d_ff, false);
        let wi = into(if c.gated { "wi_0" } else { "wi" });
        let linear = c.gated.then(|| into("wi_1"));
        let wo_dtype = b.kept_dtype();
        let wo = Linear::new_in(&dense.at("wo"), [c.d_ff, c.d_model], false, wo_dtype);
        Self {
            wi,
            linear,
            wo,
            wo_dtype,
            activation: c.activation,
            layer_norm: T5Norm::new(&b.at("layer_norm"), c.d_model),
            dropout: c.dropout,
        }
    }

    fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        let normed = t.scoped("layer_norm", None, || self.layer_norm.forward(t, x));
        let forwarded = t.scoped("DenseReluDense", None, || self.dense(t, &normed));
        drop(normed);
        let added = dropped(t, forwarded.clone(), self.dropout);
        let out = t.add(x, &added);
        drop(added);
        drop(forwarded);
        out
    }

    fn dense(&self, t: &Tape, x: &Tensor) -> Tensor {
        let inner = activated(t, self.activation, self.wi.forward(t, x));
        let inner = match &self.linear {
            Some(linear) => {
                let other = linear.forward(t, x);
                let product = t.mul(&inner, &other);
                // Both factors stay local variables.
                let inner_out = dropped(t, product, self.dropout);
                let wide = t.to(&inner_out, self.wo_dtype);
                drop(inner_out);
                let out = self.wo.forward(t, &wide);
                drop((inner, other));
                return out;
            }
            None => dropped(t, inner, self.dropout),
        };
        let wide = t.to(&inner, self.wo_dtype);
        drop(inner);
        self.wo.forward(t, &wide)
    }
}
