//! Multi-head latent attention: keys and values are kept as one vector of low rank for all heads.
//!
//! Source: transformers 5.23, `models/deepseek_{v2,v3}/modeling_*.py`, and 4.51, which expands them before
//! they are rotated and keeps them expanded.

use super::attend::{attend_with_weights, joined};
use super::indexer::KeyIndexer;
use super::options::AttentionOptions;
use super::{indexer, rotary, rotary_pairs, rotated_rows};
use crate::model::{DecoderConfig, Latent, LatentRotary, Transformers};
use crate::nn::build::{Builder, Linear, RmsNorm};
use crate::nn::decoder::Shared;
use crate::tape::{Tape, Tensor};

/// `DeepseekV3Attention`.
pub(crate) struct LatentAttention {
    query: Query,
    kv_a_proj: Linear,
    kv_a_norm: RmsNorm,
    kv_b_proj: Linear,
    o_proj: Linear,
    sizes: Latent,
    /// Whether queries are multiplied by numbers of their positions.
    scales_queries: bool,
    indexer: Option<KeyIndexer>,
    /// Whether the next layer is given which keys tokens see.
    hands_on: bool,
    options: AttentionOptions,
}

/// Queries come from the hidden states at once or by way of a vector of low rank.
enum Query {
    Full(Linear),
    Low(Linear, RmsNorm, Linear),
}

impl LatentAttention {
    pub(crate) fn new(
        b: &Builder,
        c: &DecoderConfig,
        sizes: Latent,
        options: AttentionOptions,
    ) -> Self {
        let (hidden, heads) = (c.hidden_size, c.num_attention_heads);
        let linear = |name, inputs, outputs, bias| Linear::new(&b.at(name), inputs, outputs, bias);
        let queries = heads * sizes.head_dim();
        let query = match sizes.query_rank {
            None => Query::Full(linear("q_proj", hidden, queries, false)),
            Some(rank) => Query::Low(
                linear("q_a_proj", hidden, rank, c.attention_bias),
                RmsNorm::new(&b.at("q_a_layernorm"), rank),
                linear("q_b_proj", rank, queries, false),
            ),
        };
        let rank = sizes.rank;
        let kv_a = "kv_a_proj_with_mqa";
        Self {
            query,
            kv_a_proj: linear(kv_a, hidden, rank + sizes.rotated, c.attention_bias),
            kv_a_norm: RmsNorm::new(&b.at("kv_a_layernorm"), rank),
            kv_b_proj: linear(
                "kv_b_proj",
                rank,
                heads * (sizes.straight + sizes.value),
                false,
            ),
            o_proj: linear("o_proj", heads * sizes.value, hidden, c.attention_bias),
            indexer: sizes.indexer.map(|indexer| {
                let inputs = [hidden, sizes.query_rank.unwrap_or_default()];
                KeyIndexer::new(&b.at("indexer"), inputs, sizes.rotated, indexer)
            }),
            sizes,
            scales_queries: c.scales_queries,
            hands_on: !c.indexed.is_empty(),
            options,
        }
    }

    /// `[B, S, H]` to the same, with what the layer holds: eager attention's weights, and which keys
    /// tokens see where the next layer may see the same.
    pub(crate) fn forward(&self, t: &Tape, x: &Tensor, shared: &Shared) -> (Tensor, Vec<Tensor>) {
        let (b, s) = (x.dim(0), x.dim(1));
        let sizes = self.sizes;
        let low = self.query.low(t, x);
        let q = {
            let q = self.query.forward(t, x, low.as_ref());
            let q = t.view(&q, [b, s, q.dim(2) / sizes.head_dim(), sizes.head_dim()]);
            t.transpose(&q, 1, 2)
        };
        let low = low.filter(|_| self.indexer.is_some());
        let rotates = sizes.rotary != LatentRotary::None;
        let parts = rotates.then(|| t.split(&q, [sizes.straight, sizes.rotated], -1));
        let compressed = self.kv_a_proj.forward(t, x);
        let [latent, k_rotated] = t.split(&compressed, [sizes.rank, sizes.rotated], -1);
        let latent = {
            let normalized = self.kv_a_norm.forward(t, &latent);
            t.view(&normalized, [b, 1, s, sizes.rank])
        };
        let early = self.options.facts.transformers != Transformers::V5;
        let expanded = early.then(|| self.expand(t, &latent));
        let latent = Some(latent).filter(|_| !early);
        let k_rotated = t.view(&k_rotated, [b, 1, s, sizes.rotated]);
        let (q_rotated, k_rotated) = match &parts {
            Some([_, q_rotated]) => {
                let (q_rotated, k_rotated) = self.rotate(t, q_rotated, &k_rotated, shared);
                (Some(q_rotated), k_rotated)
            }
            None => (None, k_rotated),
        };
        // Since transformers 5 the latent vector is cached, before what it expands to.
        let (latent, k_rotated) = match latent {
            Some(latent) => {
                let (latent, k_rotated) = t.cached(latent, k_rotated);
                (Some(latent), k_rotated)
            }
            None => (None, k_rotated),
        };
        let mut queries = match (&parts, &q_rotated) {
            (Some([q_straight, _]), Some(q_rotated)) => t.cat(&[q_straight, q_rotated], -1),
            _ => q.clone(),
        };
        if let Some(positions) = shared.positions.as_ref().filter(|_| self.scales_queries) {
            queries = rotated_rows::scaled_by_positions(t, queries, positions);
        }
        let (keys, values) = match (&latent, &expanded) {
            (Some(latent), _) => {
                let expanded = self.expand(t, latent);
                self.keys(t, expanded, &k_rotated)
            }
            (None, Some([_, straight, values])) => {
                let rotated = t.expand(&k_rotated, [b, straight.dim(1), s, sizes.rotated]);
                let keys = t.cat(&[straight, &rotated], -1);
                t.cached(keys, values.clone())
            }
            (None, None) => unreachable!("one of them is there"),
        };
        let chosen = match (&self.indexer, &low) {
            (Some(indexer), Some(low)) => Some(indexer.forward(t, x, low, shared)),
            _ => shared.chosen.clone(),
        };
        let narrowed = (chosen.as_ref().zip(shared.mask.as_ref()))
            .map(|(chosen, mask)| indexer::without_others(t, mask, chosen, keys.dim(2)));
        let (narrow, others) = narrowed.unzip();
        let mask = narrow.as_ref().or(shared.mask.as_ref());
        let (out, weights) = attend_with_weights(t, self.options, &queries, &keys, &values, mask);
        let out = joined(t, out);
        let projected = self.o_proj.forward(t, &out);
        drop((narrow, low));
        drop((q, parts, compressed, expanded, q_rotated, k_rotated));
        drop((queries, keys, values, others));
        let chosen = chosen.filter(|_| self.hands_on);
        (projected, weights.into_iter().chain(chosen).collect())
    }

    /// Rotates queries and the key that all heads share.
    fn rotate(&self, t: &Tape, q: &Tensor, k: &Tensor, shared: &Shared) -> (Tensor, Tensor) {
        let (cos, sin) = (&shared.cos, &shared.sin);
        match self.sizes.rotary {
            LatentRotary::Halves => (rotary::apply(t, q, cos, sin), rotary::apply(t, k, cos, sin)),
            LatentRotary::Pairs if self.options.facts.transformers != Transformers::V5 => {
                let (q, k) = (rotary_pairs::halved(t, q), rotary_pairs::halved(t, k));
                (
                    rotary::apply(t, &q, cos, sin),
                    rotary::apply(t, &k, cos, sin),
                )
            }
            LatentRotary::Pairs => rotary_pairs::apply_to_pairs(t, q, k, cos, sin),
            LatentRotary::Complex => {
                let [q, k] = rotary_pairs::apply_complex(t, [q, k], &t.unsqueeze(cos, 1), false);
                (q, k)
            }
            LatentRotary::None => (q.clone(), k.clone()),
        }
    }

    /// From the latent vector `[B, 1, S, R]` keys without their rotated columns and values for each
    /// head, together and apart.
    fn expand(&self, t: &Tape, latent: &Tensor) -> [Tensor; 3] {
        let sizes = self.sizes;
        let (b, s) = (latent.dim(0), latent.dim(2));
        let width = sizes.straight + sizes.value;
        let both = {
            let both = self.kv_b_proj.forward(t, latent);
            let heads = both.dim(3) / width;
            let both = t.view(&both, [b, s, heads, width]);
            t.transpose(&both, 1, 2)
        };
        let [straight, values] = t.split(&both, [sizes.straight, sizes.value], -1);
        [both, straight, values]
    }

    /// `expand_kv`: keys `[B, A, S, D]`, with the rotated columns `[B, 1, S, T]`, and values.
    fn keys(
        &self,
        t: &Tape,
        [both, straight, values]: [Tensor; 3],
        rotated: &Tensor,
    ) -> (Tensor, Tensor) {
        let sizes = self.sizes;
        let rotated = t.expand(
            rotated,
            [both.dim(0), both.dim(1), both.dim(2), sizes.rotated],
        );
        let keys = t.new_empty(&both, sizes.head_dim());
        let keys = t.put_columns(keys, &straight);
        (t.put_columns(keys, &rotated), values)
    }
}

impl Query {
    /// The vectors of low rank, if queries come from such.
    fn low(&self, t: &Tape, x: &Tensor) -> Option<Tensor> {
        let Self::Low(down, norm, _) = self else {
            return None;
        };
        let low = down.forward(t, x);
        Some(norm.forward(t, &low))
    }

    /// Queries of the hidden states x or of those vectors.
    fn forward(&self, t: &Tape, x: &Tensor, low: Option<&Tensor>) -> Tensor {
        match self {
            Self::Full(linear) | Self::Low(_, _, linear) => linear.forward(t, low.unwrap_or(x)),
        }
    }
}
