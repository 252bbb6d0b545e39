//! The router (`core/transformer/moe/{router,moe_utils}.py`): the largest logits choose experts, each of which
//! takes as many tokens as it has room for.

use super::modules::Modules;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// `TopKRouter`.
pub(super) struct Router {
    weight: Tensor,
    per_token: u64,
}

/// The experts of tokens.
pub(super) struct Routed {
    /// The weights of tokens for experts `[N, E]`.
    pub(super) probabilities: Tensor,
    /// The map of tokens to their experts `[N, E]`.
    pub(super) map: Tensor,
}

impl Router {
    pub(super) fn new(m: &Modules, experts: u64, per_token: u64) -> Self {
        Self {
            weight: m.wide_weight(Shape::from([experts, m.config.hidden_size]), true),
            per_token,
        }
    }

    /// The experts of tokens `[S, B, H]`, each of which has room for `capacity` tokens.
    pub(super) fn forward(&self, t: &Tape, x: &Tensor, capacity: u64) -> Routed {
        let logits = t.gating(x, &self.weight);
        let chosen = self.chosen(t, &logits);
        dropped(t, chosen, capacity)
    }

    /// `topk_routing_with_score_function`, of which only the logits of the chosen make probabilities.
    fn chosen(&self, t: &Tape, logits: &Tensor) -> Routed {
        let shape = *logits.shape();
        let (scores, indices) = t.chosen(logits, self.per_token);
        let weights = {
            let wide = t.softmax(&scores, Some(DType::Float32));
            t.to(&wide, logits.dtype())
        };
        let probabilities = t.scattered_columns(shape, &indices, &weights);
        let map = {
            let scattered = {
                let whole = {
                    let _zeros = t.empty("zeros_like", shape, logits.dtype());
                    t.empty("_to_copy", shape, DType::Int32)
                };
                let scattered = t.empty("scatter", shape, DType::Int32);
                drop(whole);
                scattered
            };
            let map = t.empty("_to_copy", shape, DType::Bool);
            drop(scattered);
            map
        };
        drop((scores, weights));
        Routed { probabilities, map }
    }
}

/// `apply_router_token_dropping` by probabilities, with every expert's room filled up.
fn dropped(t: &Tape, chosen: Routed, capacity: u64) -> Routed {
    let probabilities = &chosen.probabilities;
    let [tokens, experts] = [probabilities.dim(0), probabilities.dim(1)];
    let (shape, dtype) = (*probabilities.shape(), probabilities.dtype());
    let most = (capacity <= tokens).then(|| {
        let columns = probabilities.detach();
        t.topk(&columns.part(Shape::from([experts, tokens])), capacity)
    });
    let map = {
        let filled = {
            let zeros = t.empty("zeros_like", shape, dtype);
            if most.is_some() {
                let filled = t.empty("scatter", shape, dtype);
                drop(zeros);
                filled
            } else {
                zeros
            }
        };
        let map = t.empty("_to_copy", shape, DType::Bool);
        drop(filled);
        map
    };
    let kept = t.mul(probabilities, &map);
    drop(most);
    drop(chosen);
    Routed {
        probabilities: kept,
        map,
    }
}
