//! The experts of Gemma 4, which stand beside an MLP and read what it reads before its norm.
//!
//! Source: transformers 5.23, `models/gemma4/modeling_gemma4.py`.

use super::grouped_experts::GroupedExperts;
use super::router::Routed;
use crate::model::{DecoderConfig, Experts, GEMMA_NORMS, NormKind};
use crate::nn::build::{Builder, Linear, Norm};
use crate::tape::{Tape, Tensor};
use crate::units::DType;

/// `router`, `experts`, and the norms after the MLP, after the experts, and before the experts.
pub(crate) struct GemmaExperts {
    router: Router,
    experts: GroupedExperts,
    norms: [Norm; 3],
}

/// `Gemma4TextRouter`.
struct Router {
    norm: Norm,
    scale: Tensor,
    scale_of_experts: Tensor,
    proj: Linear,
    per_token: u64,
}

impl GemmaExperts {
    /// The router and the experts of a layer.
    pub(crate) fn new(layer: &Builder, c: &DecoderConfig, experts: &Experts) -> Self {
        let hidden = c.hidden_size;
        let norm = |name| Norm::new(&layer.at(name), NormKind::Power, hidden);
        Self {
            router: Router::new(&layer.at("router"), hidden, experts),
            experts: GroupedExperts::new(&layer.at("experts"), hidden, experts),
            norms: GEMMA_NORMS.map(norm),
        }
    }

    /// The MLP's result `[B, S, H]` with that of the experts, which read `residual`, and what stays in
    /// local variables.
    pub(crate) fn forward(
        &self,
        t: &Tape,
        residual: &Tensor,
        changed: Tensor,
    ) -> (Tensor, Vec<Tensor>) {
        let [after_mlp, after_experts, before_experts] = &self.norms;
        let normalized = |at: usize, norm: &Norm, x: &Tensor| {
            t.scoped(GEMMA_NORMS[at], None, || norm.forward(t, x))
        };
        let first = normalized(0, after_mlp, &changed);
        let flat = t.reshape(
            residual,
            [residual.numel() / residual.dim(2), residual.dim(2)],
        );
        let routed = t.scoped("router", None, || self.router.forward(t, &flat));
        let tokens = normalized(2, before_experts, &flat);
        let out = {
            let out = t.scoped("experts", None, || {
                self.experts
                    .forward(t, &tokens, &routed.chosen, &routed.weights)
            });
            drop(tokens);
            t.reshape(&out, *residual.shape())
        };
        let second = normalized(1, after_experts, &out);
        drop(out);
        let sum = t.add(&first, &second);
        drop(changed);
        let Routed {
            logits,
            weights,
            chosen,
        } = routed;
        let before = [first, flat].into_iter().chain(logits);
        (sum, before.chain([weights, chosen, second]).collect())
    }
}

impl Router {
    fn new(b: &Builder, hidden: u64, experts: &Experts) -> Self {
        Self {
            norm: Norm::new(&b.at("norm"), NormKind::BarePower, hidden),
            scale: b.parameter("scale", [hidden]),
            scale_of_experts: b.parameter("per_expert_scale", [experts.count]),
            proj: Linear::new(&b.at("proj"), hidden, experts.count, false),
            per_token: experts.per_token,
        }
    }

    /// Tokens `[N, H]` to the experts that they go through; the `logits` are probabilities.
    fn forward(&self, t: &Tape, tokens: &Tensor) -> Routed {
        let scaled = {
            let normalized = self.norm.forward(t, tokens);
            let scaled = t.mul(&normalized, &self.scale);
            let whole = t.mul_scalar(&scaled);
            drop((normalized, scaled));
            whole
        };
        let scores = t.scoped("proj", None, || self.proj.forward(t, &scaled));
        let probabilities = t.softmax(&scores, Some(DType::Float32));
        let (mut weights, chosen) = t.chosen(&probabilities, self.per_token);
        let sum = t.sum_dim(&weights, 1, true);
        weights = t.div_in_place(weights, &sum);
        drop(sum);
        let (n, k) = (chosen.dim(0), chosen.dim(1));
        let weights = {
            let rows = t.view(&chosen, [n * k]);
            let scales = t.index_rows(&self.scale_of_experts, &rows);
            t.mul(&weights, &t.view(&scales, [n, k]))
        };
        drop((scaled, scores));
        Routed {
            logits: Some(probabilities),
            weights,
            chosen,
        }
    }
}
