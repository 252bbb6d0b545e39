//! Eager attention with sinks: a score for each head that takes part in the softmax and belongs to no
//! token.
//!
//! Source: transformers 5.23, `models/gpt_oss/modeling_gpt_oss.py`.

use super::attention::{AttentionOptions, dropped, repeat_kv, scores};
use crate::tape::{Tape, Tensor};

/// `eager_attention_forward`: q `[B, A, S, D]`, k and v `[B, K, S, D]` and sinks `[A]` to
/// `[B, S, A, D]` and the weights.
pub(super) fn attend(
    t: &Tape,
    options: AttentionOptions,
    [q, k, v]: [&Tensor; 3],
    mask: Option<&Tensor>,
    sinks: &Tensor,
) -> (Tensor, Option<Tensor>) {
    let groups = q.dim(1) / k.dim(1);
    let k = repeat_kv(t, options.facts, k, groups);
    let v = repeat_kv(t, options.facts, v, groups);
    let scores = scores(t, options, [q, &k], mask);
    let (b, heads, s) = (q.dim(0), q.dim(1), q.dim(2));
    let sinks = t.reshape(sinks, [1, heads, 1, 1]);
    let sinks = t.expand(&sinks, [b, heads, s, 1]);
    let mut logits = t.cat(&[&scores, &sinks], -1);
    logits = {
        let largest = t.unsqueeze(&t.max_last(&logits), 3);
        t.sub(&logits, &largest)
    };
    let probabilities = t.softmax(&logits, Some(logits.dtype()));
    let kept = t.slice(&probabilities, -1, 0, scores.dim(-1));
    let weights = dropped(t, kept.clone(), options.dropout);
    let weights = t.to(&weights, v.dtype());
    drop(scores);
    let out = {
        let out = t.matmul(&weights, &v);
        t.contiguous(&t.transpose(&out, 1, 2))
    };
    drop((k, v, logits, probabilities, kept));
    (out, Some(weights))
}
