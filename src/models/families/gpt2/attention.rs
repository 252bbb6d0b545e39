//! GPT-2's attention (`models/gpt2/modeling_gpt2.py`).

use crate::ask::Attention;
use crate::model::{DecoderConfig, Transformers};
use crate::nn::attention::{AttentionOptions, attend, dropped, in_heads, without_later};
use crate::nn::build::{Builder, Conv1D};
use crate::tape::{Tape, Tensor};
use crate::units::Shape;

/// `GPT2Attention`.
pub(crate) struct SelfAttention {
    c_attn: Conv1D,
    c_proj: Conv1D,
    hidden: u64,
    head_dim: u64,
    options: AttentionOptions,
    dropout: bool,
    /// Before transformers 5 a causal mask of all positions and the number for what it hides.
    masks: Option<[Tensor; 2]>,
}

impl SelfAttention {
    pub(crate) fn new(b: &Builder, c: &DecoderConfig, options: AttentionOptions) -> Self {
        let hidden = c.hidden_size;
        let masks = (options.facts.transformers != Transformers::V5).then(|| {
            let square = [1, 1, c.position_rows, c.position_rows];
            [
                b.triangle("bias", square),
                b.buffer("masked_bias", Shape::new(&[]), b.loaded_dtype()),
            ]
        });
        Self {
            masks,
            c_attn: Conv1D::new(&b.at("c_attn"), hidden, 3 * hidden),
            c_proj: Conv1D::new(&b.at("c_proj"), hidden, hidden),
            hidden,
            head_dim: c.head_dim,
            options,
            dropout: c.dropout.residual,
        }
    }

    /// `[B, S, H]` to the same, with eager attention's weights, which the block holds.
    pub(crate) fn forward(
        &self,
        t: &Tape,
        x: &Tensor,
        mask: Option<&Tensor>,
    ) -> (Tensor, Option<Tensor>) {
        let (b, s, hidden) = (x.dim(0), x.dim(1), self.hidden);
        let [q, k, v] = {
            let all = self.c_attn.forward(t, x);
            t.split(&all, [hidden; 3], 2)
        };
        let heads = |x: &Tensor| in_heads(t, x, self.head_dim);
        let (k, v, q) = (heads(&k), heads(&v), heads(&q));
        let (k, v) = t.cached(k, v);
        let (out, weights) = if self.options.implementation == Attention::Eager {
            let causal = self.masks.as_ref().map(|[causal, _]| causal);
            let (out, weights) = eager(t, self.options, [&q, &k, &v], mask, causal);
            (out, Some(weights))
        } else {
            (attend(t, self.options, &q, &k, &v, mask), None)
        };
        let merged = t.reshape(&out, [b, s, hidden]);
        drop(out);
        let projected = self.c_proj.forward(t, &merged);
        drop(merged);
        (dropped(t, projected, self.dropout), weights)
    }
}

/// `eager_attention_forward` of GPT-2: q, k, v `[B, A, S, D]` to `[B, S, A, D]` and the weights. The
/// softmax runs in the dtype of the scores. Before transformers 5 numbers are tensors, and scores
/// of later tokens are replaced as the layer's `causal` mask `[1, 1, P, P]` of all positions says.
fn eager(
    t: &Tape,
    options: AttentionOptions,
    [q, k, v]: [&Tensor; 3],
    mask: Option<&Tensor>,
    causal: Option<&Tensor>,
) -> (Tensor, Tensor) {
    let number = |of: &Tensor| t.empty("full", Shape::new(&[]), of.dtype());
    let mut scores = {
        let product = t.matmul(q, &t.transpose(k, 2, 3));
        if causal.is_some() {
            t.div_by(&product, &number(&product))
        } else {
            t.mul_scalar(&product)
        }
    };
    let lowest = causal.map(|causal| {
        let (seen, lowest) = without_later(t, &scores, causal);
        scores = seen;
        lowest
    });
    if let Some(mask) = mask {
        scores = t.add(&scores, mask);
    }
    scores = t.softmax(&scores, None);
    scores = t.to(&scores, v.dtype());
    let weights = dropped(t, scores, options.dropout);
    let out = t.matmul(&weights, v);
    drop(lowest);
    (t.transpose(&out, 1, 2), weights)
}
