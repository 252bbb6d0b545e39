//! The module that chooses the keys that a token sees, outside of the graph.
//!
//! Source: transformers 5.23, `models/{deepseek_v32,glm_moe_dsa}/modeling_*.py`.

use super::{rotary, rotary_pairs};
use crate::model::Indexer;
use crate::nn::build::{Builder, LayerNorm, Linear};
use crate::nn::decoder::Shared;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// `DeepseekV32Indexer`.
pub(crate) struct KeyIndexer {
    wq_b: Linear,
    wk: Linear,
    k_norm: LayerNorm,
    weights_proj: Linear,
    sizes: Indexer,
    /// Columns of a head that are rotated.
    rotated: u64,
}

impl KeyIndexer {
    /// For hidden states of `hidden` columns and vectors of `rank`.
    pub(crate) fn new(b: &Builder, [hidden, rank]: [u64; 2], rotated: u64, sizes: Indexer) -> Self {
        let linear = |name, inputs, outputs| Linear::new(&b.at(name), inputs, outputs, false);
        Self {
            wq_b: linear("wq_b", rank, sizes.heads * sizes.columns),
            wk: linear("wk", hidden, sizes.columns),
            k_norm: LayerNorm::new(&b.at("k_norm"), sizes.columns),
            weights_proj: {
                let at = b.at("weights_proj");
                Linear::new_in(&at, [hidden, sizes.heads], false, b.kept_dtype())
            },
            sizes,
            rotated,
        }
    }

    /// Hidden states `[B, S, H]` and the vectors `[B, S, R]` that queries are made from to the keys of
    /// each token, `[B, S, K]`.
    pub(crate) fn forward(&self, t: &Tape, x: &Tensor, low: &Tensor, shared: &Shared) -> Tensor {
        let recorded = t.set_grad_enabled(false);
        let chosen = t.scoped("indexer", None, || self.choose(t, x, low, shared));
        t.set_grad_enabled(recorded);
        chosen
    }

    fn choose(&self, t: &Tape, x: &Tensor, low: &Tensor, shared: &Shared) -> Tensor {
        let (b, s) = (x.dim(0), x.dim(1));
        let parts = [self.rotated, self.sizes.columns - self.rotated];
        let q = self.wq_b.forward(t, low);
        let q = t.view(&q, [b, s, self.sizes.heads, self.sizes.columns]);
        let [q_rotated, q_rest] = t.split(&q, parts, -1);
        drop(q);
        let k = {
            let k = self.wk.forward(t, x);
            self.k_norm.forward(t, &k)
        };
        let [k_rotated, k_rest] = t.split(&t.unsqueeze(&k, 2), parts, -1);
        drop(k);
        let (q_rotated, k_rotated) = self.rotate(t, [q_rotated, k_rotated], shared);
        let q = t.cat(&[&q_rotated, &q_rest], -1);
        let k = t.cat(&[&k_rotated, &k_rest], -1);
        let keys = t.cached_for_indexer(t.view(&k, [b, s, self.sizes.columns]));
        drop(k);
        let scores = {
            let scaled = {
                let product = {
                    let queries = t.to(&q, DType::Float32);
                    let keys = t.to(&t.transpose(&keys, 1, 2), DType::Float32);
                    let product = t.matmul(&queries, &t.unsqueeze(&keys, 1));
                    drop((queries, keys));
                    product
                };
                t.mul_scalar(&product)
            };
            t.relu(&scaled)
        };
        let weights = {
            let weights = {
                let held = self.weights_proj.weight();
                let x = held.map_or_else(|| x.clone(), |weight| t.to(x, weight.dtype()));
                let weights = self.weights_proj.forward(t, &x);
                t.to(&weights, DType::Float32)
            };
            t.mul_scalar(&weights)
        };
        let product = t.matmul(&t.unsqueeze(&weights, 2), &scores);
        let summed = t.view(&product, [b, s, product.dim(3)]);
        drop(product);
        let summed = masked(t, summed, shared.mask.as_ref());
        let chosen = {
            let (_, indices) = t.topk(&summed, self.sizes.kept);
            t.to(&indices, DType::Int32)
        };
        drop((q, q_rotated, q_rest, keys, k_rotated, k_rest));
        drop((scores, weights, summed));
        chosen
    }

    /// Queries `[B, S, A, T]` and keys `[B, S, 1, T]`, rotated.
    fn rotate(&self, t: &Tape, [q, k]: [Tensor; 2], shared: &Shared) -> (Tensor, Tensor) {
        let angles = [&shared.cos, &shared.sin];
        if self.sizes.hands_on {
            return rotary_pairs::apply_to_pairs_along(t, [&q, &k], angles, 2);
        }
        let [q, k] = [&q, &k].map(|x| rotary::apply_along(t, x, angles, 2));
        (q, k)
    }
}

/// Scores `[B, S, K]` without those of later tokens.
fn masked(t: &Tape, scores: Tensor, mask: Option<&Tensor>) -> Tensor {
    let Some(mask) = mask else { return scores };
    let seen = t.select(mask, 1);
    if mask.dtype() != DType::Bool {
        return t.add(&scores, &seen);
    }
    let later = t.empty("bitwise_not", *scores.shape(), DType::Bool);
    t.masked_fill(&scores, &later)
}

/// The mask `[B, 1, S, K]` without the keys that were not chosen, and which those are.
pub(crate) fn without_others(
    t: &Tape,
    mask: &Tensor,
    chosen: &Tensor,
    keys: u64,
) -> (Tensor, Tensor) {
    let (b, s) = (chosen.dim(0), chosen.dim(1));
    let all = Shape::from([b, 1, s, keys]);
    let others = {
        let ones = t.empty("new_ones", all, DType::Bool);
        let indices = t.to(chosen, DType::Int64);
        let others = t.empty("scatter", all, DType::Bool);
        drop((ones, indices));
        others
    };
    let mask = if mask.dtype() == DType::Bool {
        let _chosen = t.empty("bitwise_not", all, DType::Bool);
        t.empty("bitwise_and", all, DType::Bool)
    } else {
        t.masked_fill(mask, &others)
    };
    (mask, others)
}
