//! Attention of the first `DeBERTa` (`models/deberta/modeling_deberta.py` of transformers 5.23): queries,
//! keys and values of one projection, distances by projections of their own.

use super::layer::{Shared, rows_of, weighed};
use crate::model::{BertConfig, Relative};
use crate::nn::attention::{AttentionOptions, dropped};
use crate::nn::build::{Builder, Linear};
use crate::tape::{Tape, Tensor};
use crate::units::Shape;

/// `DisentangledSelfAttention`.
pub(crate) struct JoinedAttention {
    /// `[H]` each, of queries and of values.
    biases: [Tensor; 2],
    projection: Linear,
    /// The projection of distances to keys, if queries look at them.
    of_keys: Option<Linear>,
    /// The projection of distances to queries, if keys look at them.
    of_queries: Option<Linear>,
    heads: u64,
    /// Rows of the table of distances.
    rows: u64,
    /// Whether those are dropped out, as hidden states are.
    dropout: bool,
    options: AttentionOptions,
}

impl JoinedAttention {
    pub(crate) fn new(
        b: &Builder,
        c: &BertConfig,
        relative: Relative,
        options: AttentionOptions,
    ) -> Self {
        let h = c.hidden_size;
        let biases = ["q_bias", "v_bias"].map(|name| b.parameter(name, [h]));
        let linear = |name, outputs, bias| Linear::new(&b.at(name), h, outputs, bias);
        let of_keys = relative.content_to_position;
        let of_queries = relative.position_to_content;
        Self {
            biases,
            projection: linear("in_proj", 3 * h, false),
            of_keys: of_keys.then(|| linear("pos_proj", h, false)),
            of_queries: of_queries.then(|| linear("pos_q_proj", h, true)),
            heads: c.num_attention_heads,
            rows: relative.rows,
            dropout: c.dropout.residual,
            options,
        }
    }

    /// `transpose_for_scores`: `[B, S, A D]` to `[B, A, S, D]`.
    fn parted(&self, t: &Tape, x: &Tensor) -> Tensor {
        let size = [x.dim(0), x.dim(1), self.heads, x.dim(2) / self.heads];
        t.transpose(&t.view(x, size), 1, 2)
    }

    /// `[B, S, H]` to the same.
    pub(crate) fn attend(&self, t: &Tape, x: &Tensor, shared: &Shared) -> Tensor {
        let (b, s, h) = (x.dim(0), x.dim(1), x.dim(2));
        let joined = self.projection.forward(t, x);
        let [q, k, v] = t.split(&self.parted(t, &joined), [h / self.heads; 3], -1);
        let [mut q, v] = [(q, 0), (v, 1)].map(|(part, i)| {
            let bias = self.parted(t, &t.view(&self.biases[i], [1, 1, h]));
            t.add(&part, &bias)
        });
        q = t.div_scalar(&q);
        let mut scores = t.matmul(&q, &t.transpose(&k, 2, 3));
        let rows = dropped(t, shared.rows.clone(), self.dropout);
        let bias = self.bias(t, [&q, &k], &shared.distances, &rows);
        scores = match &bias {
            Some(bias) => t.add(&scores, bias),
            None => t.add_scalar(&scores),
        };
        let [weights, scores, allowed] = weighed(t, scores, &shared.mask, self.options.dropout);
        let out = {
            let out = t.matmul(&weights, &v);
            t.contiguous(&t.transpose(&out, 1, 2))
        };
        drop((allowed, rows, joined, q, k, v, bias, scores, weights));
        t.view(&out, [b, s, h])
    }

    /// `disentangled_att_bias` of queries and keys `[B, A, S, D]`: `[B, A, S, S]`, if they look at
    /// distances `[1, 1, S, S]`, of which `rows` `[R, H]` has rows.
    fn bias(
        &self,
        t: &Tape,
        [q, k]: [&Tensor; 2],
        distances: &Tensor,
        rows: &Tensor,
    ) -> Option<Tensor> {
        let (b, s) = (q.dim(0), q.dim(2));
        let (most, span) = (self.rows / 2, s.min(self.rows / 2));
        let rows = t.unsqueeze(&t.slice(rows, 0, most - span, most + span), 0);
        let picked = |scores: Tensor, at: &Tensor| {
            let at = t.expand(at, Shape::from([b, self.heads, s, s]));
            t.gather(&scores, &at)
        };
        let (mut sum, mut held) = (None, Vec::new());
        if let Some(projection) = &self.of_keys {
            let keys = self.parted(t, &projection.forward(t, &rows));
            let scores = t.matmul(q, &t.transpose(&keys, 2, 3));
            let at = rows_of(t, distances, false);
            let scores = picked(scores, &at);
            sum = Some(t.add_scalar(&scores));
            held.extend([keys, scores, at]);
        }
        if let Some(projection) = &self.of_queries {
            let queries = self.parted(t, &projection.forward(t, &rows));
            let queries = t.scale_view_in_place(queries);
            let at = rows_of(t, distances, true);
            let scores = t.matmul(k, &t.transpose(&queries, 2, 3));
            let scores = t.transpose(&picked(scores, &at), 2, 3);
            sum = Some(match sum {
                Some(sum) => t.add_in_place(sum, &scores),
                None => t.add_scalar(&scores),
            });
            held.extend([queries, scores, at]);
        }
        drop(held);
        sum
    }
}
