//! Eager attention with sinks: a score for each head that takes part in the softmax and belongs to no
//! token.
//!
//! Source: transformers 5.23, `models/{gpt_oss,granite_swa}/modeling_*.py`.

use super::attend::{dropped, repeat_kv, scores};
use super::options::AttentionOptions;
use crate::model::Sinks;
use crate::tape::{Tape, Tensor};
use crate::units::DType;

/// `eager_attention_forward`: q `[B, A, S, D]`, k and v `[B, K, S, D]` and sinks `[A]` to
/// `[B, S, A, D]` and the weights.
pub(crate) fn attend(
    t: &Tape,
    options: AttentionOptions,
    [q, k, v]: [&Tensor; 3],
    mask: Option<&Tensor>,
    (form, sinks): &(Sinks, Tensor),
) -> (Tensor, Option<Tensor>) {
    let groups = q.dim(1) / k.dim(1);
    let k = repeat_kv(t, options.facts, k, groups);
    let v = repeat_kv(t, options.facts, v, groups);
    let scores = scores(t, options, [q, &k], mask);
    let (out, weights) = match form {
        Sinks::Score => with_score(t, options, scores, &v, sinks),
        Sinks::Scale => scaled(t, options, scores, (&v, q.dtype()), sinks),
    };
    drop((k, v));
    (out, Some(weights))
}

/// Attention and its weights, with one more score for each token in the softmax of scores `[B, A, S, K]`.
fn with_score(
    t: &Tape,
    options: AttentionOptions,
    scores: Tensor,
    v: &Tensor,
    sinks: &Tensor,
) -> (Tensor, Tensor) {
    let (b, heads, s) = (scores.dim(0), scores.dim(1), scores.dim(2));
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
        let out = t.matmul(&weights, v);
        t.contiguous(&t.transpose(&out, 1, 2))
    };
    drop((logits, probabilities, kept));
    (out, weights)
}

/// Attention and its weights in `dtype`, with a softmax of the scores alone, whose result is multiplied by a number for
/// each token: `sigmoid(logsumexp(scores) - sinks)`, in float32.
fn scaled(
    t: &Tape,
    options: AttentionOptions,
    scores: Tensor,
    (v, dtype): (&Tensor, DType),
    sinks: &Tensor,
) -> (Tensor, Tensor) {
    let sizes = t.logsumexp_last(&scores);
    let scale = {
        let rest = {
            let sinks = t.view(sinks, [1, sinks.dim(0), 1]);
            t.sub(&sizes, &sinks)
        };
        t.sigmoid(&t.to(&rest, DType::Float32))
    };
    let weights = {
        let weights = t.softmax(&scores, Some(DType::Float32));
        t.to(&weights, dtype)
    };
    drop(scores);
    let weights = dropped(t, weights, options.dropout);
    let mut out = t.matmul(&weights, v);
    out = {
        let scale = t.to(&t.unsqueeze(&scale, 3), out.dtype());
        t.mul(&out, &scale)
    };
    out = t.contiguous(&t.transpose(&out, 1, 2));
    drop((sizes, scale));
    (out, weights)
}
