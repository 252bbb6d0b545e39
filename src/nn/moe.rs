//! Mixtures of experts: a router that sends each token to some of many MLPs.
//!
//! Source: transformers 5.23, `integrations/moe.py` and `models/{mixtral,olmoe,qwen2_moe,
//! qwen3_moe}/modeling_*.py`. Tokens are sorted by expert and all experts run as one grouped
//! product, so that no size depends on where the router sends them.

use super::builder::Builder;
use super::gated_mlp::GatedMlp;
use super::layers::Linear;
use crate::spec::{DecoderConfig, DecoderType, Experts};
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// The MLP of a layer: one for all tokens, or experts.
pub(super) enum Mlp {
    Dense(GatedMlp),
    Sparse(Box<SparseMoe>),
}

impl Mlp {
    /// The MLP of the layer that `b` builds.
    pub(super) fn new(b: &Builder, c: &DecoderConfig, layer: usize) -> Self {
        match &c.experts {
            Some(experts) if experts.is_sparse(layer) => {
                Self::Sparse(Box::new(SparseMoe::new(b, c, experts)))
            }
            _ => Self::Dense(GatedMlp::with_bias(
                b,
                c.hidden_size,
                c.intermediate_size,
                c.mlp_bias,
                Tape::silu,
            )),
        }
    }

    /// `[B, S, H]` to the same.
    pub(super) fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        match self {
            Self::Dense(mlp) => mlp.forward(t, x),
            Self::Sparse(moe) => moe.forward(t, x),
        }
    }
}

/// `MixtralSparseMoeBlock` and its like.
pub(super) struct SparseMoe {
    router: Router,
    experts: GroupedExperts,
    shared: Option<SharedExpert>,
}

/// An expert that all tokens go through, weighted by a gate of its own.
struct SharedExpert {
    mlp: GatedMlp,
    gate: Linear,
}

impl SparseMoe {
    fn new(b: &Builder, c: &DecoderConfig, experts: &Experts) -> Self {
        let router = || Router::new(&b.at("gate"), c, experts);
        let grouped = || GroupedExperts::new(&b.at("experts"), c.hidden_size, experts);
        // Qwen3's builds its experts first.
        let (router, experts_) = if c.model_type == DecoderType::Qwen3Moe {
            let grouped = grouped();
            (router(), grouped)
        } else {
            (router(), grouped())
        };
        let shared = experts.shared_intermediate_size.map(|intermediate| {
            let mlp = b.at("shared_expert");
            SharedExpert {
                mlp: GatedMlp::new(&mlp, c.hidden_size, intermediate, Tape::silu),
                gate: Linear::new(&b.at("shared_expert_gate"), c.hidden_size, 1, false),
            }
        });
        Self {
            router,
            experts: experts_,
            shared,
        }
    }

    fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        let tokens = t.view(x, [x.dim(0) * x.dim(1), x.dim(2)]);
        let shared = self
            .shared
            .as_ref()
            .map(|shared| t.scoped("shared_expert", None, || shared.mlp.forward(t, &tokens)));
        let (logits, weights, chosen) = t.scoped("gate", None, || self.router.forward(t, &tokens));
        let mut out = t.scoped("experts", None, || {
            self.experts.forward(t, &tokens, &chosen, &weights)
        });
        if let (Some(expert), Some(shared)) = (&self.shared, shared) {
            let weighted = {
                let share = {
                    let gate = t.scoped("shared_expert_gate", None, || {
                        expert.gate.forward(t, &tokens)
                    });
                    t.sigmoid(&gate)
                };
                t.mul(&share, &shared)
            };
            drop(shared);
            out = t.add(&out, &weighted);
        }
        let out = t.reshape(&out, *x.shape());
        drop((logits, weights, chosen));
        out
    }
}

/// `MixtralTopKRouter` and its like: a score for each expert.
struct Router {
    weight: Tensor,
    per_token: u64,
    normalized: bool,
    /// Whether weights stay in float32.
    wide: bool,
}

impl Router {
    fn new(b: &Builder, c: &DecoderConfig, experts: &Experts) -> Self {
        Self {
            weight: b.parameter("weight", [experts.count, c.hidden_size]),
            per_token: experts.per_token,
            normalized: experts.normalized,
            wide: c.model_type == DecoderType::Mixtral,
        }
    }

    /// Tokens `[N, H]` to logits `[N, E]`, weights `[N, K]` and the chosen experts `[N, K]`.
    fn forward(&self, t: &Tape, tokens: &Tensor) -> (Tensor, Tensor, Tensor) {
        let tokens = t.view(tokens, *tokens.shape());
        let logits = t.linear(&tokens, &self.weight, None);
        let scores = if self.wide {
            let wide = t.to(&logits, DType::Float32);
            t.softmax(&wide, None)
        } else {
            t.softmax(&logits, Some(DType::Float32))
        };
        let (mut weights, chosen) = t.chosen(&scores, self.per_token);
        if self.normalized {
            let sum = t.sum_dim(&weights, 1, true);
            weights = t.div_in_place(weights, &sum);
        }
        if !self.wide {
            weights = t.to(&weights, logits.dtype());
        }
        (logits, weights, chosen)
    }
}

/// The weights of all experts, and how tokens run through them (`grouped_mm_experts_forward`).
struct GroupedExperts {
    gate_up_proj: Tensor,
    down_proj: Tensor,
    count: u64,
    intermediate: u64,
}

impl GroupedExperts {
    fn new(b: &Builder, hidden: u64, experts: &Experts) -> Self {
        let (count, intermediate) = (experts.count, experts.intermediate_size);
        Self {
            gate_up_proj: b.parameter("gate_up_proj", [count, 2 * intermediate, hidden]),
            down_proj: b.parameter("down_proj", [count, hidden, intermediate]),
            count,
            intermediate,
        }
    }

    /// `act(gate) * up`, where both are halves of the columns of one product.
    fn gated(&self, t: &Tape, both: Tensor) -> Tensor {
        let [gate, up] = t.split(&both, [self.intermediate; 2], -1);
        let active = t.silu(&gate);
        let product = t.mul(&active, &up);
        drop(both);
        product
    }

    /// Tokens `[N, H]` through the experts `[N, K]` that were chosen for them, weighted.
    fn forward(&self, t: &Tape, tokens: &Tensor, chosen: &Tensor, weights: &Tensor) -> Tensor {
        let (n, k) = (chosen.dim(0), chosen.dim(1));
        let weights = t.reshape(weights, [n * k]);
        let (sorted, order) = t.sort(&t.view(chosen, [n * k]));
        let selected = {
            let rows = t.empty("floor_divide", *order.shape(), order.dtype());
            t.index_rows(tokens, &rows)
        };
        let weights = t.index_rows(&weights, &order);
        let [narrow, counts, offsets] = t.group_offsets(&sorted, self.count);
        let grouped = |x: &Tensor, weight| t.grouped_mm(x, &t.transpose(weight, 1, 2), &offsets);
        let product = {
            let hidden = self.gated(t, grouped(&selected, &self.gate_up_proj));
            grouped(&hidden, &self.down_proj)
        };
        let weighted = t.mul(&product, &t.unsqueeze(&weights, 1));
        let back = t.empty("empty_like", *order.shape(), order.dtype());
        drop(t.empty("arange", *order.shape(), DType::Int64));
        let restored = t.index_rows(&weighted, &back);
        drop(weighted);
        let by_token = t.view(&restored, Shape::from([n, k, tokens.dim(1)]));
        let sum = t.sum_dim(&by_token, 1, false);
        let out = t.to(&sum, tokens.dtype());
        drop((
            selected, sorted, order, narrow, counts, offsets, product, back,
        ));
        drop((restored, by_token, sum));
        out
    }
}
