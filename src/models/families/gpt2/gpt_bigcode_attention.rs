//! `GPTBigCode`'s attention, whose queries may share one key and one value
//! (`models/gpt_bigcode/modeling_gpt_bigcode.py`).

use crate::ask::Attention;
use crate::model::{DecoderConfig, Transformers};
use crate::nn::attention::{AttentionOptions, attend_as_bert, attend_with_weights, dropped};
use crate::nn::build::{Builder, Linear};
use crate::nn::decoder::Shell;
use crate::nn::masks::BatchShape;
use crate::nn::masks::mask;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use std::cell::RefCell;

/// `GPTBigCodeAttention`.
pub(crate) struct BigCodeAttention {
    c_attn: Linear,
    c_proj: Linear,
    hidden: u64,
    heads: u64,
    head_dim: u64,
    /// Whether all heads share one key and one value.
    shared: bool,
    options: AttentionOptions,
    dropout: bool,
    /// Whether the block returns keys and values (transformers 4).
    keeps_keys: bool,
    /// The number for what eager attention hides, which is made once (transformers 4).
    lowest: RefCell<Option<Tensor>>,
}

impl BigCodeAttention {
    pub(crate) fn new(
        b: &Builder,
        c: &DecoderConfig,
        options: AttentionOptions,
        keeps_keys: bool,
    ) -> Self {
        let hidden = c.hidden_size;
        let all = hidden + 2 * c.num_key_value_heads * c.head_dim;
        Self {
            c_attn: Linear::new(&b.at("c_attn"), hidden, all, true),
            c_proj: Linear::new(&b.at("c_proj"), hidden, hidden, true),
            hidden,
            heads: c.num_attention_heads,
            head_dim: c.head_dim,
            shared: c.num_key_value_heads == 1 && c.num_attention_heads > 1,
            options,
            dropout: c.dropout.residual,
            keeps_keys,
            lowest: RefCell::default(),
        }
    }

    /// `[B, S, H]` to the same, with what the block holds: eager attention's weights, or before
    /// transformers 5 the keys beside the values.
    pub(crate) fn forward(
        &self,
        t: &Tape,
        x: &Tensor,
        mask: Option<&Tensor>,
    ) -> (Tensor, Option<Tensor>) {
        if self.options.facts.transformers != Transformers::V5 {
            return self.forward_before_5(t, x, mask);
        }
        let (b, s, dim) = (x.dim(0), x.dim(1), self.head_dim);
        let all = self.c_attn.forward(t, x);
        let [q, k, v] = if self.shared {
            let all = t.unsqueeze(&all, 1);
            let [q, k, v] = t.split(&all, [self.hidden, dim, dim], 3);
            let q = t.view(&q, [b, s, self.heads, dim]);
            [t.transpose(&q, 1, 2), k, v]
        } else {
            let rows = t.view(&all, [b, s, self.heads, 3 * dim]);
            t.split(&t.transpose(&rows, 1, 2), [dim; 3], 3)
        };
        drop(all);
        let (k, v) = t.cached(k, v);
        let (out, weights) = attend_with_weights(t, self.options, &q, &k, &v, mask);
        let out = t.reshape(&out, [b, s, self.hidden]);
        let out = t.contiguous(&out);
        let projected = self.c_proj.forward(t, &out);
        (dropped(t, projected, self.dropout), weights)
    }

    fn forward_before_5(
        &self,
        t: &Tape,
        x: &Tensor,
        mask: Option<&Tensor>,
    ) -> (Tensor, Option<Tensor>) {
        let (b, s, dim) = (x.dim(0), x.dim(1), self.head_dim);
        let all = self.c_attn.forward(t, x);
        // Shared keys and values are [B, S, D], others [B, A, S, D].
        let (q, present) = if self.shared {
            let [q, present] = t.split(&all, [self.hidden, 2 * dim], 2);
            (q, present)
        } else {
            let rows = t.view(&all, [b, s, self.heads, 3 * dim]);
            let [q, present] = t.split(&t.transpose(&rows, 1, 2), [dim, 2 * dim], 3);
            (q, present)
        };
        drop(all);
        let [k, v] = t.split(&present, [dim; 2], -1);
        let (out, weights) = if self.options.implementation == Attention::Eager {
            self.eager_before_5(t, [&q, &k, &v], mask)
        } else {
            (self.sdpa_before_5(t, [&q, &k, &v], mask), None)
        };
        let out = t.reshape(&out, [b, s, self.hidden]);
        let projected = self.c_proj.forward(t, &out);
        drop(out);
        let out = dropped(t, projected, self.dropout);
        drop((q, k, v));
        drop(weights);
        (
            out,
            Some(present).filter(|_| self.keeps_keys || t.has_cache()),
        )
    }

    /// `GPTBigCodeSdpaAttention` or `GPTBigCodeFlashAttention2`: `[B, S, A, D]`.
    fn sdpa_before_5(&self, t: &Tape, [q, k, v]: [&Tensor; 3], mask: Option<&Tensor>) -> Tensor {
        let sdpa = self.options.implementation == Attention::Sdpa;
        let [q, k, v] = if self.shared {
            let (b, s) = (q.dim(0), q.dim(1));
            let q = t.view(q, [b, s, self.heads, self.head_dim]);
            let one = |x: &Tensor| {
                let x = t.unsqueeze(x, 1);
                if sdpa {
                    t.expand(&x, [b, self.heads, s, self.head_dim])
                } else {
                    x
                }
            };
            [t.transpose(&q, 1, 2), one(k), one(v)]
        } else if sdpa && mask.is_some() {
            [q, k, v].map(|x| t.contiguous(x))
        } else {
            [q, k, v].map(Tensor::clone)
        };
        attend_as_bert(t, self.options, [&q, &k, &v], mask, true).0
    }

    /// Scores that are not cast for the softmax: `[B, S, A, D]` and the weights.
    fn eager_before_5(
        &self,
        t: &Tape,
        [q, k, v]: [&Tensor; 3],
        mask: Option<&Tensor>,
    ) -> (Tensor, Option<Tensor>) {
        let (heads, dim) = (self.heads, self.head_dim);
        let (b, s) = (q.dim(0), k.dim(-2));
        let keys = t.transpose(k, -2, -1);
        let (rows, keys, parted) = if self.shared {
            (t.reshape(q, [b, s * heads, dim]), keys, [b, s, heads, s])
        } else {
            let rows = t.reshape(q, [b * heads, s, dim]);
            let keys = t.reshape(&keys, [b * heads, dim, s]);
            (rows, keys, [b, heads, s, s])
        };
        let mut weights = {
            let shape = Shape::from([rows.dim(0), rows.dim(1), s]);
            let _unused = t.empty("empty", shape, rows.dtype());
            t.view(&t.bmm(&rows, &keys), parted)
        };
        if let Some(mask) = mask {
            let mut lowest = self.lowest.borrow_mut();
            let lowest =
                lowest.get_or_insert_with(|| t.empty("full", Shape::new(&[]), weights.dtype()));
            weights = t.where_or(mask, &weights, lowest);
        }
        weights = t.softmax(&weights, None);
        weights = dropped(t, weights, self.options.dropout);
        let out = if self.shared {
            let flat = t.view(&weights, [b, s * heads, s]);
            t.bmm(&flat, v)
        } else {
            t.transpose(&t.matmul(&weights, v), 1, 2)
        };
        (out, Some(weights))
    }
}

/// The mask of `GPTBigCodeModel` for token ids `[B, S]` before transformers 5, made from the
/// `causal` one of all positions: boolean, added to the scores for sdpa, or padding alone.
pub(crate) fn mask_before_5(
    t: &Tape,
    shell: &Shell,
    input_ids: &Tensor,
    causal: &Tensor,
    (attention, shared): (Attention, bool),
) -> Option<Tensor> {
    let size = BatchShape::of(input_ids);
    let BatchShape { b, s } = size;
    let padding = shell.has_mask();
    let flags = |op, shape: Shape| t.empty(op, shape, DType::Bool);
    if attention == Attention::FlashAttention2 {
        return padding.then(|| {
            mask::looks_for_padding(t, size);
            flags("_to_copy", Shape::from([b, s]))
        });
    }
    let rows = t.slice(causal, 0, 0, s);
    let mut mask = t.unsqueeze(&t.slice(&rows, 1, 0, s), 0);
    if padding {
        let _valid = flags("_to_copy", Shape::from([b, 1, s]));
        mask = flags("mul", Shape::from([b, s, s]));
    }
    mask = t.unsqueeze(&mask, if shared { 2 } else { 1 });
    if attention == Attention::Eager {
        return Some(mask);
    }
    let dtype = shell.dtype();
    mask = {
        let _numbers = [(); 2].map(|()| t.empty("full", Shape::new(&[]), dtype));
        t.empty("where", *mask.shape(), dtype)
    };
    if shared {
        mask = t.transpose(&mask, 1, 2);
    }
    Some(if padding {
        mask::unmasked(t, &mask)
    } else {
        mask
    })
}
