//! `GPTBigCode`'s attention, whose queries may share one key and one value
//! (`models/gpt_bigcode/modeling_gpt_bigcode.py`).

use super::attention::{AttentionOptions, attend_with_weights, dropped};
use super::builder::Builder;
use super::layers::Linear;
use crate::spec::DecoderConfig;
use crate::tape::{Tape, Tensor};

/// `GPTBigCodeAttention` of transformers 5.
pub(super) struct BigCodeAttention {
    c_attn: Linear,
    c_proj: Linear,
    hidden: u64,
    heads: u64,
    head_dim: u64,
    /// Whether all heads share one key and one value.
    shared: bool,
    options: AttentionOptions,
    dropout: bool,
}

impl BigCodeAttention {
    pub(super) fn new(b: &Builder, c: &DecoderConfig, options: AttentionOptions) -> Self {
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
        }
    }

    /// `[B, S, H]` to the same, with eager attention's weights, which the block holds.
    pub(super) fn forward(
        &self,
        t: &Tape,
        x: &Tensor,
        mask: Option<&Tensor>,
    ) -> (Tensor, Option<Tensor>) {
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
}
