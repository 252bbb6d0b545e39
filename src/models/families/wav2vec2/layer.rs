//! One layer of wav2vec 2.0, `HuBERT` and `WavLM`.

use super::gated::{Attended, GatedAttention};
use crate::model::{Activation, SpeechConfig, SpeechKind};
use crate::nn::attention::{AttentionOptions, attend_as_bert, dropped, in_heads};
use crate::nn::build::{Builder, Facts, LayerNorm, Linear};
use crate::nn::decoder::Block;
use crate::nn::mlp::activated;
use crate::tape::{Tape, Tensor};

/// `Wav2Vec2EncoderLayer` or `Wav2Vec2EncoderLayerStableLayerNorm`.
pub(crate) struct SpeechLayer {
    attention: Attention,
    layer_norm: LayerNorm,
    intermediate_dense: Linear,
    output_dense: Linear,
    final_layer_norm: LayerNorm,
    norms_first: bool,
    activation: Activation,
    activation_dropout: bool,
    dropout: bool,
}

enum Attention {
    Plain(PlainAttention),
    Gated(GatedAttention),
}

/// `Wav2Vec2Attention`.
struct PlainAttention {
    k_proj: Linear,
    v_proj: Linear,
    q_proj: Linear,
    out_proj: Linear,
    head_dim: u64,
    options: AttentionOptions,
}

impl PlainAttention {
    fn new(b: &Builder, c: &SpeechConfig, options: AttentionOptions) -> Self {
        let linear = |name| Linear::new(&b.at(name), c.hidden_size, c.hidden_size, true);
        let [k_proj, v_proj, q_proj, out_proj] =
            ["k_proj", "v_proj", "q_proj", "out_proj"].map(linear);
        Self {
            k_proj,
            v_proj,
            q_proj,
            out_proj,
            head_dim: c.head_dim,
            options,
        }
    }

    /// `[B, S, H]` to the same, with the weights of eager attention, which the layer holds.
    fn attend(&self, t: &Tape, x: &Tensor, mask: Option<&Tensor>) -> (Tensor, Option<Tensor>) {
        let made = |projection: &Linear| in_heads(t, &projection.forward(t, x), self.head_dim);
        let (q, k, v) = (made(&self.q_proj), made(&self.k_proj), made(&self.v_proj));
        let (out, weights) = attend_as_bert(t, self.options, [&q, &k, &v], mask, false);
        let merged = t.reshape(&out, *x.shape());
        drop(out);
        let out = self.out_proj.forward(t, &merged);
        drop((q, k, v));
        (out, weights)
    }
}

impl SpeechLayer {
    pub(crate) fn new(b: &Builder, c: &SpeechConfig, options: AttentionOptions) -> Self {
        let (hidden, inner) = (c.hidden_size, c.intermediate_size);
        let at = b.at("attention");
        let attention = if c.kind == SpeechKind::WavLm {
            Attention::Gated(GatedAttention::new(&at, c, b.is_first(), options))
        } else {
            Attention::Plain(PlainAttention::new(&at, c, options))
        };
        let layer_norm = LayerNorm::new(&b.at("layer_norm"), hidden);
        let mlp = b.at("feed_forward");
        Self {
            attention,
            layer_norm,
            intermediate_dense: Linear::new(&mlp.at("intermediate_dense"), hidden, inner, true),
            output_dense: Linear::new(&mlp.at("output_dense"), inner, hidden, true),
            final_layer_norm: LayerNorm::new(&b.at("final_layer_norm"), hidden),
            norms_first: c.norms_first,
            activation: c.activation,
            activation_dropout: c.activation_dropout,
            dropout: c.dropout.residual,
        }
    }

    fn attend(
        &self,
        t: &Tape,
        x: &Tensor,
        mask: Option<&Tensor>,
        biases: Option<Tensor>,
    ) -> Attended {
        t.scoped("attention", None, || match &self.attention {
            Attention::Plain(attention) => {
                let (out, weights) = attention.attend(t, x, mask);
                Attended {
                    out,
                    weights,
                    biases: None,
                }
            }
            Attention::Gated(attention) => attention.attend(t, x, biases),
        })
    }

    /// `[B, S, H]` to the same, given a mask, or biases of distances (`WavLM`), which the layers below are
    /// given, too.
    pub(crate) fn forward_giving(
        &self,
        t: &Tape,
        hidden: &Tensor,
        mask: Option<&Tensor>,
        biases: Option<Tensor>,
    ) -> (Tensor, Option<Tensor>) {
        let Attended {
            out: attended,
            weights: _weights,
            biases,
        } = if self.norms_first {
            let normed = self.layer_norm.forward(t, hidden);
            self.attend(t, &normed, mask, biases)
        } else {
            self.attend(t, hidden, mask, biases)
        };
        let attended = dropped(t, attended, self.dropout);
        let sum = t.add(hidden, &attended);
        drop(attended);
        if self.norms_first {
            let fed = {
                let normed = self.final_layer_norm.forward(t, &sum);
                self.feed(t, &normed)
            };
            return (t.add(&sum, &fed), biases);
        }
        let normed = self.layer_norm.forward(t, &sum);
        drop(sum);
        let fed = self.feed(t, &normed);
        let sum = t.add(&normed, &fed);
        drop((fed, normed));
        (self.final_layer_norm.forward(t, &sum), biases)
    }

    /// `Wav2Vec2FeedForward`: `[B, S, H]` to the same.
    fn feed(&self, t: &Tape, x: &Tensor) -> Tensor {
        t.scoped("feed_forward", None, || {
            let wide = self.intermediate_dense.forward(t, x);
            let active = activated(t, self.activation, wide);
            let wide = dropped(t, active, self.activation_dropout);
            let out = self.output_dense.forward(t, &wide);
            drop(wide);
            dropped(t, out, self.dropout)
        })
    }
}

impl Block for SpeechLayer {
    /// The mask.
    type Shared = Option<Tensor>;

    fn outliving(mask: &Option<Tensor>, _facts: Facts) -> Option<Tensor> {
        mask.clone()
    }

    fn forward(&self, t: &Tape, hidden: &Tensor, mask: &Option<Tensor>) -> Tensor {
        self.forward_giving(t, hidden, mask.as_ref(), None).0
    }
}
