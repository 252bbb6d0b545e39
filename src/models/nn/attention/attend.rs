//! Attention as transformers writes it.

use super::options::{AttentionOptions, Divided};
use super::{flash, heads_exchanged};
use crate::ask::Attention;
use crate::model::Transformers;
use crate::nn::build::Facts;
use crate::tape::{Sdpa, Tape, Tensor};
use crate::units::{DType, Shape};

/// The widest heads of which sdpa is given fewer keys and values than queries.
const WIDEST_GROUPED_HEAD: u64 = 256;

/// `eager_attention_forward` or `sdpa_attention_forward`: q `[B, A, S, D]`, k and v `[B, K, S, D]`
/// to `[B, S, A, D]`.
pub(crate) fn attend(
    t: &Tape,
    options: AttentionOptions,
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    mask: Option<&Tensor>,
) -> Tensor {
    attend_with_weights(t, options, q, k, v, mask).0
}

/// [`attend`] with the weights of eager attention, which some layers hold.
pub(crate) fn attend_with_weights(
    t: &Tape,
    options: AttentionOptions,
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    mask: Option<&Tensor>,
) -> (Tensor, Option<Tensor>) {
    if let Some(Divided::Heads(ranks)) = options.divided {
        let alone = AttentionOptions {
            divided: None,
            ..options
        };
        let out = heads_exchanged::attend(t, [q, k, v], ranks, |[q, k, v]| {
            attend(t, alone, q, k, v, None)
        });
        return (out, None);
    }
    if options.implementation == Attention::Eager {
        let (out, weights) = eager(t, options, q, k, v, mask);
        return (out, Some(weights));
    }
    if options.implementation == Attention::FlashAttention2 {
        return (flash::attend(t, options, [q, k, v], mask), None);
    }
    let groups = q.dim(1) / k.dim(1);
    // `use_gqa_in_sdpa`.
    let narrow = k.dim(3) == v.dim(3) && k.dim(3) <= WIDEST_GROUPED_HEAD;
    let takes_groups = options.facts.sdpa_takes_groups && mask.is_none() && narrow;
    let repeat = groups > 1 && !takes_groups;
    // `pack_gqa`: the queries of a single token that share keys become positions.
    let packed = repeat && q.dim(2) == 1 && options.facts.transformers == Transformers::V5;
    let heads = *q.shape();
    let q = if packed {
        t.reshape(q, [q.dim(0), k.dim(1), groups, q.dim(3)])
    } else {
        q.clone()
    };
    let (k, v) = if repeat && !packed {
        (
            repeat_kv(t, options.facts, k, groups),
            repeat_kv(t, options.facts, v, groups),
        )
    } else {
        (k.clone(), v.clone())
    };
    let whenever = mask.is_some() || !options.contiguous_for_mask;
    let (q, k, v) = if options.facts.sdpa_inputs_contiguous && whenever {
        (t.contiguous(&q), t.contiguous(&k), t.contiguous(&v))
    } else {
        (q, k, v)
    };
    let sdpa = Sdpa {
        forced: options.forced,
        causal: mask.is_none() && !options.bidirectional,
        dropout: options.dropout,
        grouped: true,
        ring: options.ring(),
    };
    let mut out = t.sdpa(&q, &k, &v, mask, sdpa);
    if packed {
        out = t.reshape(&out, heads);
    }
    out = t.transpose(&out, 1, 2);
    out = t.contiguous(&out);
    drop((q, k, v));
    (out, None)
}

/// `repeat_kv`: `[B, K, S, D]` to `[B, K x groups, S, D]`.
pub(crate) fn repeat_kv(t: &Tape, facts: Facts, x: &Tensor, groups: u64) -> Tensor {
    if groups == 1 {
        return x.clone();
    }
    let (b, k, s, d) = (x.dim(0), x.dim(1), x.dim(2), x.dim(3));
    let expanded = {
        // hidden_states[:, :, None, :, :]
        let sliced = facts.index_all(t, x, 2);
        let unsqueezed = facts.index_all(t, &t.unsqueeze(&sliced, 2), 2);
        t.expand(&unsqueezed, Shape::from([b, k, groups, s, d]))
    };
    t.reshape(&expanded, [b, k * groups, s, d])
}

/// `torch.nn.functional.dropout` where its probability is above zero.
pub(crate) fn dropped(t: &Tape, x: Tensor, active: bool) -> Tensor {
    if active { t.dropout(&x) } else { x }
}

/// The scores `[B, A, S, S]` of q and k `[B, A, S, D]`, capped if the options say so, with the mask.
pub(crate) fn scores(
    t: &Tape,
    options: AttentionOptions,
    [q, k]: [&Tensor; 2],
    mask: Option<&Tensor>,
) -> Tensor {
    let mut scores = {
        let product = t.matmul(q, &t.transpose(k, 2, 3));
        t.mul_scalar(&product)
    };
    if options.softcap {
        scores = t.div_scalar(&scores);
        scores = t.tanh(&scores);
        scores = t.mul_scalar(&scores);
    }
    match mask {
        Some(mask) => t.add(&scores, mask),
        None => scores,
    }
}

fn eager(
    t: &Tape,
    options: AttentionOptions,
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    mask: Option<&Tensor>,
) -> (Tensor, Tensor) {
    let groups = q.dim(1) / k.dim(1);
    let k = repeat_kv(t, options.facts, k, groups);
    let v = repeat_kv(t, options.facts, v, groups);
    let scores = scores(t, options, [q, &k], mask);
    // Written out for each model, with the scores in a local variable.
    let early = options.narrow_softmax && options.facts.transformers == Transformers::V448;
    let weights = if options.narrow_softmax {
        let weights = t.softmax(&scores, None);
        if early {
            t.to(&weights, v.dtype())
        } else {
            weights
        }
    } else {
        let weights = t.softmax(&scores, Some(DType::Float32));
        t.to(&weights, q.dtype())
    };
    let _scores = early.then_some(scores);
    let weights = dropped(t, weights, options.dropout);
    let out = t.matmul(&weights, &v);
    let out = t.transpose(&out, 1, 2);
    (t.contiguous(&out), weights)
}

/// Eager attention of encoders in transformers 4: the softmax is taken in the dtype of the scores,
/// which are a local variable of the caller, as the probabilities are. Masks are made when the
/// scores are there, one by one.
pub(crate) fn attend_with_scores(
    t: &Tape,
    options: AttentionOptions,
    [q, k, v]: [&Tensor; 3],
    masks: impl IntoIterator<Item = Tensor>,
) -> (Tensor, [Tensor; 2]) {
    let mut scores = {
        let product = t.matmul(q, &t.transpose(k, 2, 3));
        t.div_scalar(&product)
    };
    for mask in masks {
        scores = t.add(&scores, &mask);
    }
    let weights = t.softmax(&scores, None);
    let weights = dropped(t, weights, options.dropout);
    let out = t.matmul(&weights, v);
    let out = t.contiguous(&t.transpose(&out, 1, 2));
    (out, [scores, weights])
}

/// Attention of encoders (`eager_attention_forward` of BERT and its like, which takes the softmax
/// in the dtype of the scores, or sdpa): q, k and v `[B, A, S, D]` to `[B, S, A, D]`, with the
/// weights of eager attention.
pub(crate) fn attend_as_bert(
    t: &Tape,
    options: AttentionOptions,
    [q, k, v]: [&Tensor; 3],
    mask: Option<&Tensor>,
    causal: bool,
) -> (Tensor, Option<Tensor>) {
    if options.implementation == Attention::FlashAttention2 {
        return (flash::attend(t, options, [q, k, v], mask), None);
    }
    if options.implementation != Attention::Eager {
        let sdpa = Sdpa {
            forced: options.forced,
            causal: causal && mask.is_none(),
            dropout: options.dropout,
            grouped: false,
            ring: None,
        };
        let out = t.sdpa(q, k, v, mask, sdpa);
        let out = t.transpose(&out, 1, 2);
        return (t.contiguous(&out), None);
    }
    let mut weights = {
        let product = t.matmul(q, &t.transpose(k, 2, 3));
        t.mul_scalar(&product)
    };
    if let Some(mask) = mask {
        weights = t.add(&weights, mask);
    }
    weights = t.softmax(&weights, None);
    weights = dropped(t, weights, options.dropout);
    let out = t.matmul(&weights, v);
    let out = t.transpose(&out, 1, 2);
    (t.contiguous(&out), Some(weights))
}

/// Scores `[B, A, Q, K]` in which a number replaces those of later tokens, as a mask `[1, 1, P, P]`
/// of all positions says (GPT-2 of transformers 4, GPT-Neo), and that number.
pub(crate) fn without_later(t: &Tape, scores: &Tensor, causal: &Tensor) -> (Tensor, Tensor) {
    let (queries, keys) = (scores.dim(2), scores.dim(3));
    let rows = t.slice(causal, 2, keys - queries, keys);
    let lowest = t.empty("full", Shape::new(&[]), scores.dtype());
    let seen = t.where_or(&t.slice(&rows, 3, 0, keys), scores, &lowest);
    (seen, lowest)
}

/// `[B, S, A x D]` as heads of `columns` columns: `[B, A, S, D]`.
pub(crate) fn in_heads(t: &Tape, y: &Tensor, columns: u64) -> Tensor {
    let heads = t.view(y, [y.dim(0), y.dim(1), y.dim(2) / columns, columns]);
    t.transpose(&heads, 1, 2)
}

/// The heads' results, `[B, S, A, D]`, as `[B, S, A x D]`.
pub(crate) fn joined(t: &Tape, heads: Tensor) -> Tensor {
    let flat = [heads.dim(0), heads.dim(1), heads.dim(2) * heads.dim(3)];
    let reshaped = t.reshape(&heads, flat);
    drop(heads);
    t.contiguous(&reshaped)
}
