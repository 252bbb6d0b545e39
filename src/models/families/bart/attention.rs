//! Attention of BART and Whisper, of a layer to itself or to the encoder.

use crate::ask::Attention;
use crate::model::{BartConfig, BartStack, Transformers};
use crate::nn::attention::{AttentionOptions, attend_as_bert, dropped, in_heads};
use crate::nn::build::{Builder, Linear};
use crate::tape::{Sdpa, Tape, Tensor};

/// `BartAttention` or `WhisperAttention`.
pub(crate) struct BartAttention {
    k_proj: Linear,
    v_proj: Linear,
    q_proj: Linear,
    out_proj: Linear,
    head_dim: u64,
    /// Whether it is a decoder's, and whether positions see no later ones.
    decoder: bool,
    causal: bool,
    whisper: bool,
    options: AttentionOptions,
}

/// The results of attention.
struct Attended {
    /// `[B, S, A, D]`.
    out: Tensor,
    /// Tensors that the layer holds until it returns.
    held: Vec<Tensor>,
    /// Tensors that the function holds until it returns.
    locals: Vec<Tensor>,
}

impl BartAttention {
    pub(crate) fn new(
        b: &Builder,
        c: &BartConfig,
        stack: BartStack,
        options: AttentionOptions,
        decoder: bool,
        causal: bool,
    ) -> Self {
        let whisper = c.recordings.is_some();
        let linear = |name, bias| Linear::new(&b.at(name), c.d_model, c.d_model, bias);
        Self {
            k_proj: linear("k_proj", !whisper),
            v_proj: linear("v_proj", true),
            q_proj: linear("q_proj", true),
            out_proj: linear("out_proj", true),
            head_dim: stack.head_dim,
            decoder,
            causal,
            whisper,
            options,
        }
    }

    /// `[B, S, H]` to the same, attending to the `encoder`'s result if there is one, and what the
    /// layer holds until it returns.
    pub(crate) fn forward(
        &self,
        t: &Tape,
        x: &Tensor,
        encoder: Option<&Tensor>,
        mask: Option<&Tensor>,
    ) -> (Tensor, Vec<Tensor>) {
        let recent = self.options.facts.transformers == Transformers::V5;
        let eager = self.options.implementation == Attention::Eager;
        let from = encoder.unwrap_or(x);
        let copies = self.whisper || !recent;
        let heads = |y: Tensor| {
            let y = in_heads(t, &y, self.head_dim);
            if copies { t.contiguous(&y) } else { y }
        };
        let mut q = self.q_proj.forward(t, x);
        if (eager && !recent) || (self.whisper && recent) {
            q = t.mul_scalar(&q);
        }
        let late = copies && !self.whisper;
        if !late {
            q = heads(q);
        }
        let project = || {
            if copies {
                let k = heads(self.k_proj.forward(t, from));
                (k, heads(self.v_proj.forward(t, from)))
            } else {
                let (k, v) = (self.k_proj.forward(t, from), self.v_proj.forward(t, from));
                (heads(k), heads(v))
            }
        };
        let (k, v) = if encoder.is_some() {
            t.crossed(project)
        } else {
            let (k, v) = project();
            if self.decoder { t.cached(k, v) } else { (k, v) }
        };
        if late {
            q = heads(q);
        }
        let Attended { out, held, locals } = if recent {
            let (out, weights) = attend_as_bert(t, self.options, [&q, &k, &v], mask, self.causal);
            Attended {
                out,
                held: weights.into_iter().collect(),
                locals: Vec::new(),
            }
        } else {
            self.attend_of_four(t, [&q, &k, &v], mask)
        };
        let merged = t.reshape(&out, *x.shape());
        drop(out);
        let out = self.out_proj.forward(t, &merged);
        drop(locals);
        (out, held)
    }

    /// transformers 4. BART's decoder hands keys and values on as if to cache them.
    fn attend_of_four(&self, t: &Tape, [q, k, v]: [&Tensor; 3], mask: Option<&Tensor>) -> Attended {
        let mut held = Vec::new();
        if self.decoder && !self.whisper {
            held.extend([k.clone(), v.clone()]);
        }
        if self.options.implementation != Attention::Eager {
            let sdpa = Sdpa {
                forced: self.options.forced,
                causal: self.causal && mask.is_none() && q.dim(2) > 1,
                dropout: self.options.dropout,
                grouped: false,
                ring: None,
            };
            let out = t.sdpa(q, k, v, mask, sdpa);
            return Attended {
                out: t.transpose(&out, 1, 2),
                held,
                locals: Vec::new(),
            };
        }
        let shape = [q.dim(0), q.dim(1), q.dim(2), k.dim(2)];
        // Samples and heads are one dimension of BART's.
        let rows = |x: &Tensor| {
            if self.whisper {
                x.clone()
            } else {
                t.view(x, [x.dim(0) * x.dim(1), x.dim(2), x.dim(3)])
            }
        };
        let product = |x: &Tensor, y: &Tensor| {
            if self.whisper {
                t.matmul(x, y)
            } else {
                t.batched(x, y)
            }
        };
        let [q, k, v] = [q, k, v].map(rows);
        let mut weights = product(&q, &t.transpose(&k, -2, -1));
        if let Some(mask) = mask {
            weights = rows(&t.add(&t.view(&weights, shape), mask));
        }
        weights = t.softmax(&weights, None);
        let probabilities = dropped(t, weights.clone(), self.options.dropout);
        let out = product(&probabilities, &v);
        let out = t.view(&out, [shape[0], shape[1], shape[2], self.head_dim]);
        let out = t.transpose(&out, 1, 2);
        if self.whisper {
            held.push(weights.clone());
        }
        Attended {
            out,
            held,
            locals: vec![probabilities, weights],
        }
    }
}
