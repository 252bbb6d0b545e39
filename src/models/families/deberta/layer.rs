//! A layer of `DeBERTa`: attention to tokens and to their distances, then BERT's feed-forward layers.

use super::first::JoinedAttention;
use crate::families::bert::ResidualNorm;
use crate::model::{BertConfig, BertKind, Relative};
use crate::nn::attention::{AttentionOptions, dropped};
use crate::nn::build::{Builder, Facts, Linear};
use crate::nn::decoder::Block;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// `DebertaLayer` or `DebertaV2Layer`.
pub(crate) struct DebertaLayer {
    attention: Attention,
    attention_output: ResidualNorm,
    intermediate: Linear,
    output: ResidualNorm,
}

enum Attention {
    First(JoinedAttention),
    Later(SharingAttention),
}

/// `DisentangledSelfAttention` of V2, which projects distances as it does tokens.
struct SharingAttention {
    query: Linear,
    key: Linear,
    value: Linear,
    heads: u64,
    relative: Relative,
    /// Whether the rows of distances are dropped out, as hidden states are.
    dropout: bool,
    options: AttentionOptions,
}

/// Inputs of every layer.
#[derive(Clone)]
pub(crate) struct Shared {
    /// The mask of tokens that see each other, `[B, 1, S, S]`.
    pub(crate) mask: Tensor,
    /// The distances of tokens, `[1, 1, S, S]`.
    pub(crate) distances: Tensor,
    /// A row for each distance, `[R, H]`.
    pub(crate) rows: Tensor,
}

impl DebertaLayer {
    pub(crate) fn new(
        b: &Builder,
        c: &BertConfig,
        relative: Relative,
        options: AttentionOptions,
    ) -> Self {
        let attention = b.at("attention");
        let own = attention.at("self");
        let own = if c.kind == BertKind::DebertaV1 {
            Attention::First(JoinedAttention::new(&own, c, relative, options))
        } else {
            Attention::Later(SharingAttention::new(&own, c, relative, options))
        };
        let attention_output = ResidualNorm::new(&attention.at("output"), c.hidden_size, c);
        let dense = b.at("intermediate").at("dense");
        Self {
            attention: own,
            attention_output,
            intermediate: Linear::new(&dense, c.hidden_size, c.intermediate_size, true),
            output: ResidualNorm::new(&b.at("output"), c.intermediate_size, c),
        }
    }
}

/// `softmax(scores)` of tokens that see each other, dropped out; and the mask, which the caller holds.
/// Scores `[B, A, S, S]`, mask `[B, 1, S, S]`.
pub(crate) fn weighed(t: &Tape, mut scores: Tensor, mask: &Tensor, dropout: bool) -> [Tensor; 3] {
    let allowed = t.empty("_to_copy", *mask.shape(), DType::Bool);
    scores = {
        let refused = t.empty("bitwise_not", *allowed.shape(), DType::Bool);
        t.masked_fill(&scores, &refused)
    };
    let weights = t.softmax(&scores, None);
    let weights = dropped(t, weights, dropout);
    [weights, scores, allowed]
}

/// Rows of the distances `[1, 1, S, S]` in their table; negated for keys that look at queries.
pub(crate) fn rows_of(t: &Tape, distances: &Tensor, negated: bool) -> Tensor {
    let square = |op| t.empty(op, *distances.shape(), DType::Int64);
    let _shifted = {
        let _negative = negated.then(|| square("neg"));
        square("add")
    };
    square("clamp")
}

impl SharingAttention {
    fn new(b: &Builder, c: &BertConfig, relative: Relative, options: AttentionOptions) -> Self {
        let linear = |name| Linear::new(&b.at(name), c.hidden_size, c.hidden_size, true);
        let [query, key, value] = ["query_proj", "key_proj", "value_proj"].map(linear);
        Self {
            query,
            key,
            value,
            heads: c.num_attention_heads,
            relative,
            dropout: c.dropout.residual,
            options,
        }
    }

    /// `transpose_for_scores`: `[B, S, H]` to `[B A, S, D]`.
    fn parted(&self, t: &Tape, projection: &Linear, x: &Tensor) -> Tensor {
        let (b, s) = (x.dim(0), x.dim(1));
        let y = projection.forward(t, x);
        let head_dim = y.dim(2) / self.heads;
        let y = t.view(&y, [b, s, self.heads, head_dim]);
        let y = t.contiguous(&t.transpose(&y, 1, 2));
        t.view(&y, [b * self.heads, s, head_dim])
    }

    /// `DisentangledSelfAttention`: `[B, S, H]` to the same.
    fn attend(&self, t: &Tape, x: &Tensor, shared: &Shared) -> Tensor {
        let (b, s) = (x.dim(0), x.dim(1));
        let [q, k, v] = [&self.query, &self.key, &self.value].map(|p| self.parted(t, p, x));
        let mut scores = {
            let scaled = t.div_scalar(&t.transpose(&k, 1, 2));
            t.batched(&q, &scaled)
        };
        let rows = dropped(t, shared.rows.clone(), self.dropout);
        let bias = self.bias(t, [&q, &k], &shared.distances, &rows);
        scores = t.add(&scores, &bias);
        scores = t.view(&scores, [b, self.heads, s, s]);
        let [weights, scores, allowed] = weighed(t, scores, &shared.mask, self.options.dropout);
        let out = {
            let out = t.batched(&t.view(&weights, [b * self.heads, s, s]), &v);
            let out = t.view(&out, [b, self.heads, s, v.dim(2)]);
            t.contiguous(&t.transpose(&out, 1, 2))
        };
        drop((allowed, rows, q, k, v, scores, bias, weights));
        t.view(&out, [b, s, x.dim(2)])
    }

    /// `disentangled_attention_bias` of queries and keys `[B A, S, D]`: `[B A, S, S]`.
    fn bias(&self, t: &Tape, heads: [&Tensor; 2], distances: &Tensor, rows: &Tensor) -> Tensor {
        let [q, k] = heads;
        let (n, s) = (q.dim(0), q.dim(1));
        let rows = t.unsqueeze(rows, 0);
        let spread = |projection: &Linear| {
            let parted = self.parted(t, projection, &rows);
            t.repeat_along(&parted, 0, n / self.heads)
        };
        let (queries, keys) = (spread(&self.query), spread(&self.key));
        let picked = |scores: Tensor, at: &Tensor| {
            let at = t.expand(&t.view(at, [1, s, s]), Shape::from([n, s, s]));
            t.gather(&scores, &at)
        };
        let (mut sum, mut held) = (None, Vec::new());
        if self.relative.content_to_position {
            let scores = t.batched(q, &t.transpose(&keys, 1, 2));
            let at = rows_of(t, distances, false);
            let scores = picked(scores, &at);
            let scaled = t.div_scalar(&scores);
            sum = Some(t.add_scalar(&scaled));
            held.extend([scores, at]);
        }
        if self.relative.position_to_content {
            let at = rows_of(t, distances, true);
            let scores = t.batched(k, &t.transpose(&queries, 1, 2));
            let scores = t.transpose(&picked(scores, &at), 1, 2);
            let scaled = t.div_scalar(&scores);
            sum = Some(match sum {
                Some(sum) => t.add_in_place(sum, &scaled),
                None => t.add_scalar(&scaled),
            });
            held.extend([scores, at]);
        }
        drop((queries, keys, held));
        sum.unwrap_or_else(|| t.empty("zeros", Shape::from([n, s, s]), q.dtype()))
    }
}

impl Block for DebertaLayer {
    type Shared = Shared;

    fn forward(&self, t: &Tape, hidden: &Tensor, shared: &Shared) -> Tensor {
        let attended = t.scoped("attention", None, || {
            let out = match &self.attention {
                Attention::First(attention) => attention.attend(t, hidden, shared),
                Attention::Later(attention) => attention.attend(t, hidden, shared),
            };
            self.attention_output.forward(t, &out, hidden)
        });
        let wide = t.scoped("intermediate", None, || {
            let wide = self.intermediate.forward(t, &attended);
            t.gelu(&wide)
        });
        t.scoped("output", None, || self.output.forward(t, &wide, &attended))
    }

    fn outliving(shared: &Shared, _facts: Facts) -> Shared {
        shared.clone()
    }
}
