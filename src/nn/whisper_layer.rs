//! The layers of Whisper: norms come before the sublayers.

use super::activation::activated;
use super::attention::{AttentionOptions, attend_as_bert, dropped};
use super::builder::Builder;
use super::decoder::Block;
use super::facts::{Facts, Transformers};
use super::layers::{LayerNorm, Linear};
use super::seq2seq::Shared;
use crate::spec::{Activation, Attention, BartConfig, BartStack};
use crate::tape::{Sdpa, Tape, Tensor};

/// `WhisperEncoderLayer` or `WhisperDecoderLayer`.
pub(super) struct WhisperLayer {
    self_attn: Attend,
    self_attn_layer_norm: LayerNorm,
    /// Attention to the encoder with its norm, of a decoder.
    encoder_attn: Option<(Attend, LayerNorm)>,
    fc1: Linear,
    fc2: Linear,
    final_layer_norm: LayerNorm,
    activation: Activation,
    activation_dropout: bool,
    dropout: bool,
    facts: Facts,
}

/// `WhisperAttention`.
struct Attend {
    k_proj: Linear,
    v_proj: Linear,
    q_proj: Linear,
    out_proj: Linear,
    head_dim: u64,
    causal: bool,
    options: AttentionOptions,
}

impl WhisperLayer {
    pub(super) fn new(
        b: &Builder,
        c: &BartConfig,
        stack: BartStack,
        options: AttentionOptions,
        decoder: bool,
    ) -> Self {
        let attend =
            |name, causal| Attend::new(&b.at(name), c.d_model, stack.head_dim, options, causal);
        let norm = |name| LayerNorm::new(&b.at(name), c.d_model);
        Self {
            self_attn: attend("self_attn", decoder),
            self_attn_layer_norm: norm("self_attn_layer_norm"),
            encoder_attn: decoder.then(|| {
                (
                    attend("encoder_attn", false),
                    norm("encoder_attn_layer_norm"),
                )
            }),
            fc1: Linear::new(&b.at("fc1"), c.d_model, stack.ffn_dim, true),
            fc2: Linear::new(&b.at("fc2"), stack.ffn_dim, c.d_model, true),
            final_layer_norm: norm("final_layer_norm"),
            activation: c.activation,
            activation_dropout: c.activation_dropout,
            dropout: c.dropout.residual,
            facts: options.facts,
        }
    }

    /// Adds what a sublayer gave, dropped out, to the residual stream.
    fn joined(&self, t: &Tape, residual: &Tensor, x: Tensor) -> Tensor {
        let x = dropped(t, x, self.dropout);
        t.add(residual, &x)
    }
}

impl Block for WhisperLayer {
    type Shared = Shared;

    fn outliving(shared: &Shared, _facts: Facts) -> Shared {
        shared.clone()
    }

    fn forward(&self, t: &Tape, hidden: &Tensor, shared: &Shared) -> Tensor {
        let (out, mut held) = {
            let x = self.self_attn_layer_norm.forward(t, hidden);
            t.scoped("self_attn", None, || {
                self.self_attn.forward(t, &x, None, shared.mask.as_ref())
            })
        };
        let mut residual = self.joined(t, hidden, out);
        if let (Some((attend, norm)), Some(encoder)) = (&self.encoder_attn, &shared.encoder) {
            let (out, more) = {
                let x = norm.forward(t, &residual);
                t.scoped("encoder_attn", None, || {
                    attend.forward(t, &x, Some(encoder), shared.encoder_mask.as_ref())
                })
            };
            // Since transformers 5 one variable takes the weights of both.
            if self.facts.transformers == Transformers::V5 {
                held = None;
            }
            held = more.or(held);
            residual = self.joined(t, &residual, out);
        }
        let wide = {
            let x = self.final_layer_norm.forward(t, &residual);
            activated(t, self.activation, self.fc1.forward(t, &x))
        };
        let wide = dropped(t, wide, self.activation_dropout);
        let out = self.fc2.forward(t, &wide);
        drop(wide);
        let out = self.joined(t, &residual, out);
        drop((residual, held));
        out
    }
}

impl Attend {
    fn new(
        b: &Builder,
        d_model: u64,
        head_dim: u64,
        options: AttentionOptions,
        causal: bool,
    ) -> Self {
        let linear = |name, bias| Linear::new(&b.at(name), d_model, d_model, bias);
        Self {
            k_proj: linear("k_proj", false),
            v_proj: linear("v_proj", true),
            q_proj: linear("q_proj", true),
            out_proj: linear("out_proj", true),
            head_dim,
            causal,
            options,
        }
    }

    /// `[B, S, H]` to the same, attending to the `encoder`'s result if there is one, and the
    /// weights of eager attention.
    fn forward(
        &self,
        t: &Tape,
        x: &Tensor,
        encoder: Option<&Tensor>,
        mask: Option<&Tensor>,
    ) -> (Tensor, Option<Tensor>) {
        let recent = self.options.facts.transformers == Transformers::V5;
        let eager = self.options.implementation == Attention::Eager;
        let from = encoder.unwrap_or(x);
        let q = {
            let mut q = self.q_proj.forward(t, x);
            if recent || eager {
                q = t.mul_scalar(&q);
            }
            self.heads(t, &q)
        };
        let k = self.heads(t, &self.k_proj.forward(t, from));
        let v = self.heads(t, &self.v_proj.forward(t, from));
        let (out, weights) = if recent {
            attend_as_bert(t, self.options, [&q, &k, &v], mask, self.causal)
        } else {
            self.attend_of_four(t, [&q, &k, &v], mask)
        };
        let out = t.reshape(&out, *x.shape());
        (self.out_proj.forward(t, &out), weights)
    }

    /// `[B, S, H]` copied to `[B, A, S, D]`.
    fn heads(&self, t: &Tape, y: &Tensor) -> Tensor {
        let heads = y.dim(2) / self.head_dim;
        let y = t.view(y, [y.dim(0), y.dim(1), heads, self.head_dim]);
        t.contiguous(&t.transpose(&y, 1, 2))
    }

    /// transformers 4: `[B, S, A, D]` and the weights of eager attention.
    fn attend_of_four(
        &self,
        t: &Tape,
        [q, k, v]: [&Tensor; 3],
        mask: Option<&Tensor>,
    ) -> (Tensor, Option<Tensor>) {
        if self.options.implementation != Attention::Eager {
            let sdpa = Sdpa {
                forced: self.options.forced,
                causal: self.causal && mask.is_none() && q.dim(2) > 1,
                dropout: self.options.dropout,
                grouped: false,
            };
            let out = t.sdpa(q, k, v, mask, sdpa);
            return (t.transpose(&out, 1, 2), None);
        }
        let mut weights = t.matmul(q, &t.transpose(k, 2, 3));
        if let Some(mask) = mask {
            weights = t.add(&weights, mask);
        }
        weights = t.softmax(&weights, None);
        let probabilities = dropped(t, weights.clone(), self.options.dropout);
        let out = t.matmul(&probabilities, v);
        (t.transpose(&out, 1, 2), Some(weights))
    }
}
