//! Mixtures of experts: a router that sends each token to some of many MLPs.
//!
//! Source: transformers 5.23, `integrations/moe.py` and `models/{mixtral,olmoe,qwen2_moe,
//! qwen3_moe,deepseek_v2,deepseek_v3}/modeling_*.py`. Tokens are sorted by expert and all experts run as one grouped
//! product, so that no size depends on where the router sends them. In transformers 4 one expert runs
//! after the other ([`ExpertLoop`]).

use super::builder::Builder;
use super::expert_loop::ExpertLoop;
use super::facts::Transformers;
use super::gated_mlp::GatedMlp;
use super::layers::Linear;
use super::router::{Routed, Router};
use crate::spec::{DecoderConfig, Experts};
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// The MLP of a layer: one for all tokens, or experts.
pub(super) enum Mlp {
    Dense(Box<GatedMlp>),
    Sparse(Box<SparseMoe>),
}

impl Mlp {
    /// The MLP at `b` of a layer.
    pub(super) fn new(b: &Builder, c: &DecoderConfig, layer: &Builder) -> Self {
        match &c.experts {
            Some(experts) if experts.are_everywhere() || experts.is_sparse(layer.index()) => {
                Self::Sparse(Box::new(SparseMoe::new(b, c, experts)))
            }
            _ => Self::Dense(Box::new(GatedMlp::with_bias(
                b,
                c.hidden_size,
                c.intermediate_size,
                c.mlp_bias,
                Tape::silu,
            ))),
        }
    }

    /// `[B, S, H]` to the same, with the router's logits where the layer is given them.
    pub(super) fn forward(&self, t: &Tape, x: &Tensor) -> (Tensor, Option<Tensor>) {
        match self {
            Self::Dense(mlp) => (mlp.forward(t, x), None),
            Self::Sparse(moe) => moe.forward(t, x),
        }
    }
}

/// `MixtralSparseMoeBlock` and its like.
pub(super) struct SparseMoe {
    router: Router,
    experts: RoutedExperts,
    shared: Option<SharedExpert>,
}

/// The experts that a router chooses among.
enum RoutedExperts {
    Grouped(GroupedExperts),
    Loop(ExpertLoop),
}

/// An expert that all tokens go through, weighted by a gate of its own or not at all.
struct SharedExpert {
    mlp: GatedMlp,
    gate: Option<Linear>,
}

impl SharedExpert {
    /// `[N, H]` to the same.
    fn forward(&self, t: &Tape, tokens: &Tensor) -> Tensor {
        t.scoped("shared_expert", None, || self.mlp.forward(t, tokens))
    }

    /// Its output for the tokens, weighted by its gate.
    fn weighted(&self, t: &Tape, tokens: &Tensor, output: Tensor) -> Tensor {
        let share = self.gate.as_ref().map(|gate| {
            let gate = t.scoped("shared_expert_gate", None, || gate.forward(t, tokens));
            t.sigmoid(&gate)
        });
        match share {
            Some(share) => {
                let weighted = t.mul(&share, &output);
                drop(output);
                weighted
            }
            None => output,
        }
    }
}

impl SparseMoe {
    fn new(b: &Builder, c: &DecoderConfig, experts: &Experts) -> Self {
        let hidden = c.hidden_size;
        let four = b.facts().transformers != Transformers::V5;
        let router = || Router::new(&b.at("gate"), hidden, experts);
        let routed = || {
            if four {
                RoutedExperts::Loop(ExpertLoop::new(b, c, experts))
            } else {
                RoutedExperts::Grouped(GroupedExperts::new(&b.at("experts"), hidden, experts))
            }
        };
        let (router, routed) = if experts.are_built_first(four) {
            let routed = routed();
            (router(), routed)
        } else {
            (router(), routed())
        };
        let shared = experts.shared_intermediate_size.map(|intermediate| {
            let name = if experts.shared_gate {
                "shared_expert"
            } else {
                "shared_experts"
            };
            let gate = "shared_expert_gate";
            SharedExpert {
                mlp: GatedMlp::new(&b.at(name), hidden, intermediate, Tape::silu),
                gate: experts
                    .shared_gate
                    .then(|| Linear::new(&b.at(gate), hidden, 1, false)),
            }
        });
        Self {
            router,
            experts: routed,
            shared,
        }
    }

    fn forward(&self, t: &Tape, x: &Tensor) -> (Tensor, Option<Tensor>) {
        match (&self.shared, &self.experts) {
            (Some(SharedExpert { mlp, gate: None }), _) => {
                (self.with_shared_expert(t, x, mlp), None)
            }
            (shared, RoutedExperts::Grouped(_)) => (self.grouped(t, x, shared.as_ref()), None),
            (shared, RoutedExperts::Loop(experts)) => {
                let (out, logits) = self.looped(t, x, experts, shared.as_ref());
                (out, Some(logits))
            }
        }
    }

    /// Tokens through the experts that the router chose.
    fn run(&self, t: &Tape, tokens: &Tensor, routed: &Routed) -> Tensor {
        let Routed {
            chosen, weights, ..
        } = routed;
        match &self.experts {
            RoutedExperts::Grouped(experts) => t.scoped("experts", None, || {
                experts.forward(t, tokens, chosen, weights)
            }),
            RoutedExperts::Loop(experts) => experts.forward(t, tokens, chosen, weights).0,
        }
    }

    /// `MixtralSparseMoeBlock` and `Qwen2MoeSparseMoeBlock`.
    fn grouped(&self, t: &Tape, x: &Tensor, shared: Option<&SharedExpert>) -> Tensor {
        let tokens = t.view(x, [x.dim(0) * x.dim(1), x.dim(2)]);
        let shared_output = shared.map(|shared| shared.forward(t, &tokens));
        let routed = t.scoped("gate", None, || self.router.forward(t, &tokens));
        let mut out = self.run(t, &tokens, &routed);
        if let (Some(shared), Some(output)) = (shared, shared_output) {
            let weighted = shared.weighted(t, &tokens, output);
            out = t.add(&out, &weighted);
            let out = t.reshape(&out, *x.shape());
            drop((routed, weighted));
            return out;
        }
        let out = t.reshape(&out, *x.shape());
        drop(routed);
        out
    }

    /// The same blocks in transformers 4, with the router's logits.
    fn looped(
        &self,
        t: &Tape,
        x: &Tensor,
        experts: &ExpertLoop,
        shared: Option<&SharedExpert>,
    ) -> (Tensor, Tensor) {
        let tokens = t.view(x, [x.dim(0) * x.dim(1), x.dim(2)]);
        let routed = t.scoped("gate", None, || self.router.forward(t, &tokens));
        let (mut out, held) = experts.forward(t, &tokens, &routed.chosen, &routed.weights);
        let mut weighted = None;
        if let Some(shared) = shared {
            let output = shared.forward(t, &tokens);
            let added = weighted.insert(shared.weighted(t, &tokens, output));
            out = t.add(&out, added);
        }
        let out = t.reshape(&out, *x.shape());
        drop((routed.weights, routed.chosen, held, weighted));
        (out, routed.logits)
    }

    /// `DeepseekV3MoE`: the router sees the hidden states before they are flattened.
    fn with_shared_expert(&self, t: &Tape, x: &Tensor, mlp: &GatedMlp) -> Tensor {
        let routed = t.scoped("gate", None, || self.router.forward(t, x));
        let tokens = t.view(x, [x.dim(0) * x.dim(1), x.dim(2)]);
        let out = self.run(t, &tokens, &routed);
        let out = t.view(&out, *x.shape());
        let sum = {
            let shared = t.scoped("shared_experts", None, || mlp.forward(t, x));
            t.add(&out, &shared)
        };
        drop((routed, out));
        sum
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
