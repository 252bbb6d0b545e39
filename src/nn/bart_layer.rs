//! The layers of BART: norms come after the residual sums.

use super::activation::activated;
use super::attention::{AttentionOptions, attend_as_bert, dropped};
use super::builder::Builder;
use super::decoder::Block;
use super::facts::{Facts, Transformers};
use super::layers::{LayerNorm, Linear};
use super::seq2seq::Shared;
use crate::spec::{Activation, Attention, BartConfig, BartStack};
use crate::tape::{Sdpa, Tape, Tensor};
use crate::units::DType;

/// `BartEncoderLayer` or `BartDecoderLayer`.
pub(super) struct BartLayer {
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

/// `BartAttention`.
struct Attend {
    k_proj: Linear,
    v_proj: Linear,
    q_proj: Linear,
    out_proj: Linear,
    head_dim: u64,
    /// Whether it is a decoder's, and whether positions see no later ones.
    decoder: bool,
    causal: bool,
    options: AttentionOptions,
}

impl BartLayer {
    pub(super) fn new(
        b: &Builder,
        c: &BartConfig,
        stack: BartStack,
        options: AttentionOptions,
        decoder: bool,
    ) -> Self {
        let attend = |name, causal| Attend::new(&b.at(name), c, stack, options, (decoder, causal));
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

    /// What a sublayer gave, dropped out, added to the residual stream and normalized.
    fn joined(&self, t: &Tape, residual: &Tensor, x: Tensor, norm: &LayerNorm) -> Tensor {
        let x = dropped(t, x, self.dropout);
        let sum = t.add(residual, &x);
        drop(x);
        norm.forward(t, &sum)
    }
}

impl Block for BartLayer {
    type Shared = Shared;

    fn outliving(shared: &Shared, _facts: Facts) -> Shared {
        shared.clone()
    }

    fn forward(&self, t: &Tape, hidden: &Tensor, shared: &Shared) -> Tensor {
        let (out, mut held) = t.scoped("self_attn", None, || {
            self.self_attn
                .forward(t, hidden, None, shared.mask.as_ref())
        });
        let mut x = self.joined(t, hidden, out, &self.self_attn_layer_norm);
        if let (Some((attend, norm)), Some(encoder)) = (&self.encoder_attn, &shared.encoder) {
            let (out, more) = t.scoped("encoder_attn", None, || {
                attend.forward(t, &x, Some(encoder), shared.encoder_mask.as_ref())
            });
            // Since transformers 5 one variable takes the weights of both.
            if self.facts.transformers == Transformers::V5 {
                held.clear();
            }
            held.extend(more);
            x = self.joined(t, &x, out, norm);
        }
        let mut wide = activated(t, self.activation, self.fc1.forward(t, &x));
        wide = dropped(t, wide, self.activation_dropout);
        let out = self.fc2.forward(t, &wide);
        drop(wide);
        let out = self.joined(t, &x, out, &self.final_layer_norm);
        if self.encoder_attn.is_none() && out.dtype() == DType::Float16 {
            t.looks_for_infinities(&out, self.facts.transformers == Transformers::V5);
        }
        drop((x, held));
        out
    }
}

impl Attend {
    fn new(
        b: &Builder,
        c: &BartConfig,
        stack: BartStack,
        options: AttentionOptions,
        (decoder, causal): (bool, bool),
    ) -> Self {
        let linear = |name| Linear::new(&b.at(name), c.d_model, c.d_model, true);
        Self {
            k_proj: linear("k_proj"),
            v_proj: linear("v_proj"),
            q_proj: linear("q_proj"),
            out_proj: linear("out_proj"),
            head_dim: stack.head_dim,
            decoder,
            causal,
            options,
        }
    }

    /// `[B, S, H]` to the same, attending to the `encoder`'s result if there is one, and what the
    /// layer holds until it returns.
    fn forward(
        &self,
        t: &Tape,
        x: &Tensor,
        encoder: Option<&Tensor>,
        mask: Option<&Tensor>,
    ) -> (Tensor, Vec<Tensor>) {
        let from = encoder.unwrap_or(x);
        if self.options.facts.transformers != Transformers::V5 {
            return self.forward_of_four(t, x, from, mask);
        }
        let q = self.heads(t, &self.q_proj.forward(t, x));
        let k = self.k_proj.forward(t, from);
        let v = self.v_proj.forward(t, from);
        let (k, v) = (self.heads(t, &k), self.heads(t, &v));
        let (out, weights) = attend_as_bert(t, self.options, [&q, &k, &v], mask, self.causal);
        let out = t.reshape(&out, *x.shape());
        let out = t.contiguous(&out);
        (
            self.out_proj.forward(t, &out),
            weights.into_iter().collect(),
        )
    }

    /// `[B, S, H]` seen as `[B, A, S, D]`.
    fn heads(&self, t: &Tape, y: &Tensor) -> Tensor {
        let heads = y.dim(2) / self.head_dim;
        let y = t.view(y, [y.dim(0), y.dim(1), heads, self.head_dim]);
        t.transpose(&y, 1, 2)
    }

    /// transformers 4: heads are copied together, and a decoder hands keys and values on as if to
    /// cache them.
    fn forward_of_four(
        &self,
        t: &Tape,
        x: &Tensor,
        from: &Tensor,
        mask: Option<&Tensor>,
    ) -> (Tensor, Vec<Tensor>) {
        let eager = self.options.implementation == Attention::Eager;
        let mut q = self.q_proj.forward(t, x);
        if eager {
            q = t.mul_scalar(&q);
        }
        let copied = |y: Tensor| t.contiguous(&self.heads(t, &y));
        let k = copied(self.k_proj.forward(t, from));
        let v = copied(self.v_proj.forward(t, from));
        let q = copied(q);
        let held = if self.decoder {
            vec![k.clone(), v.clone()]
        } else {
            Vec::new()
        };
        let mut locals = None;
        let out = if eager {
            let (out, probabilities) = self.eager_of_four(t, [&q, &k, &v], mask);
            locals = Some(probabilities);
            out
        } else {
            let sdpa = Sdpa {
                forced: self.options.forced,
                causal: self.causal && mask.is_none(),
                dropout: self.options.dropout,
                grouped: false,
            };
            t.sdpa(&q, &k, &v, mask, sdpa)
        };
        let merged = t.reshape(&t.transpose(&out, 1, 2), *x.shape());
        drop(out);
        let out = self.out_proj.forward(t, &merged);
        drop(locals);
        (out, held)
    }

    /// Samples and heads are one dimension. Returns the probabilities, too.
    fn eager_of_four(
        &self,
        t: &Tape,
        parts: [&Tensor; 3],
        mask: Option<&Tensor>,
    ) -> (Tensor, [Tensor; 2]) {
        let (b, heads) = (parts[0].dim(0), parts[0].dim(1));
        let [q, k, v] = parts.map(|x| t.view(x, [b * heads, x.dim(2), x.dim(3)]));
        let (queries, keys) = (q.dim(1), k.dim(1));
        let mut weights = t.batched(&q, &t.transpose(&k, 1, 2));
        if let Some(mask) = mask {
            weights = t.add(&t.view(&weights, [b, heads, queries, keys]), mask);
            weights = t.view(&weights, [b * heads, queries, keys]);
        }
        weights = t.softmax(&weights, None);
        let dropped = dropped(t, weights.clone(), self.options.dropout);
        let out = t.batched(&dropped, &v);
        let out = t.view(&out, [b, heads, queries, self.head_dim]);
        (out, [dropped, weights])
    }
}
