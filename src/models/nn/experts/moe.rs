//! Mixtures of experts: a router that sends each token to some of many MLPs.
//!
//! Source: transformers 5.23, `integrations/moe.py` and `models/{mixtral,olmoe,qwen2_moe,
//! qwen3_moe,deepseek_v2,deepseek_v3}/modeling_*.py`. Tokens are sorted by expert and all experts run as one grouped
//! product, so that no size depends on where the router sends them. In transformers 4 one expert runs
//! after the other ([`ExpertLoop`]).

use super::all_experts::AllExperts;
use super::expert_loop::ExpertLoop;
use super::grouped_experts::GroupedExperts;
use super::parallel_experts::ParallelExperts;
use super::router::{Routed, Router};
use crate::model::{
    DecoderConfig, ExpertForm, Experts, LATENT, LayerNames, PLAIN, Routing, SharedForm,
    Transformers,
};
use crate::nn::build::{Builder, Linear, RmsNorm};
use crate::nn::mlp::{GatedMlp, PlainMlp};
use crate::tape::{Tape, Tensor};
use crate::units::DType;

/// The MLP of a layer: one for all tokens, or experts.
pub(crate) enum Mlp {
    Dense(Box<GatedMlp>),
    Sparse(Box<SparseMoe>),
}

impl Mlp {
    /// The MLP at `b` of a layer.
    pub(crate) fn new(b: &Builder, c: &DecoderConfig, layer: &Builder) -> Self {
        match SparseMoe::of_layer(b, c, layer) {
            Some(sparse) => Self::Sparse(Box::new(sparse)),
            None => Self::Dense(Box::new(GatedMlp::with_bias(
                b,
                c.hidden_size,
                c.intermediate_size,
                c.mlp_bias,
                Tape::silu,
            ))),
        }
    }

    /// `[B, S, H]` to the same, with the router's logits where the layer is given them.
    pub(crate) fn forward(&self, t: &Tape, x: &Tensor) -> (Tensor, Option<Tensor>) {
        match self {
            Self::Dense(mlp) => (mlp.forward(t, x), None),
            Self::Sparse(moe) => moe.forward(t, x),
        }
    }
}

/// `MixtralSparseMoeBlock` and its like.
pub(crate) struct SparseMoe {
    /// The router's name.
    name: &'static str,
    router: Router,
    experts: RoutedExperts,
    shared: Option<SharedExpert>,
    /// The layers before and after experts that see fewer columns.
    latent: Option<[Linear; 2]>,
    /// The norm over what the mixture gives.
    norm: Option<(&'static str, RmsNorm)>,
    /// When the expert that all tokens go through runs.
    form: SharedForm,
    /// How often tokens are multiplied by noise in their place while training.
    jitters: usize,
}

/// The experts that a router chooses among.
enum RoutedExperts {
    Grouped(GroupedExperts),
    Loop(ExpertLoop),
    All(AllExperts),
    Parallel(ParallelExperts),
}

/// An expert that all tokens go through, weighted by a gate of its own or not at all.
struct SharedExpert {
    mlp: SharedMlp,
    gate: Option<Linear>,
}

/// Its layers.
enum SharedMlp {
    Gated(GatedMlp),
    Plain(PlainMlp),
}

impl SharedMlp {
    fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        match self {
            Self::Gated(mlp) => mlp.forward(t, x),
            Self::Plain(mlp) => mlp.forward(t, x),
        }
    }
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
    /// The mixture at `b` of a layer, if it has one.
    pub(crate) fn of_layer(b: &Builder, c: &DecoderConfig, layer: &Builder) -> Option<Self> {
        let experts = c.experts.as_ref()?;
        let sparse = experts.is_sparse(layer.index());
        sparse.then(|| Self::new(b, c, experts))
    }

    fn new(b: &Builder, c: &DecoderConfig, experts: &Experts) -> Self {
        let hidden = c.hidden_size;
        let four = b.facts().transformers != Transformers::V5;
        let names = LayerNames::of(c);
        let name = names.router(four);
        let router = || Router::new(&b.at(name), hidden, experts);
        let routed = || {
            if experts.routing == Routing::Sigmoid {
                RoutedExperts::All(AllExperts::new(&b.at("experts"), hidden, experts))
            } else if experts.run_in_turn(four) {
                RoutedExperts::Parallel(ParallelExperts::new(b, hidden, experts))
            } else if four {
                RoutedExperts::Loop(ExpertLoop::new(b, c, experts))
            } else {
                RoutedExperts::Grouped(GroupedExperts::new(&b.at("experts"), hidden, experts))
            }
        };
        let width = experts.shared_intermediate_size;
        let within = width.filter(|_| experts.shared != SharedForm::Beside);
        let shared = |intermediate| {
            let gated = experts.shared == SharedForm::Gated;
            let at = b.at(names.shared);
            let gate = "shared_expert_gate";
            SharedExpert {
                mlp: match experts.form {
                    ExpertForm::Plain(activation) => SharedMlp::Plain(PlainMlp::new(
                        &at,
                        [hidden, intermediate],
                        PLAIN,
                        (c.mlp_bias, activation),
                    )),
                    _ => SharedMlp::Gated(GatedMlp::with_bias(
                        &at,
                        hidden,
                        intermediate,
                        c.mlp_bias,
                        Tape::silu,
                    )),
                },
                gate: gated.then(|| Linear::new(&b.at(gate), hidden, 1, false)),
            }
        };
        let sorted = experts.routing == Routing::Sorted;
        let (mut router, routed, between) = if sorted {
            let parts = || (ParallelExperts::new(b, hidden, experts), router());
            let (bias, (routed, router)) = b.parameter_after("bias", [hidden], parts);
            (router, RoutedExperts::Parallel(routed.biased(bias)), None)
        } else if experts.are_built_first(four) {
            let routed = routed();
            (router(), routed, None)
        } else {
            let router = router();
            let between = within.filter(|_| experts.shared == SharedForm::Between);
            let between = between.map(shared);
            (router, routed(), between)
        };
        router.correct_by(b, experts);
        let shared = between.or_else(|| within.map(shared));
        let latent = experts.latent_size.map(|size| {
            let layer = |name, from, to| Linear::new(&b.at(name), from, to, c.mlp_bias);
            let [first, second] = LATENT;
            [layer(first, hidden, size), layer(second, size, hidden)]
        });
        Self {
            name,
            router,
            experts: routed,
            shared,
            latent,
            norm: names
                .after_experts
                .map(|name| (name, RmsNorm::new(&b.at(name), hidden))),
            form: experts.shared,
            jitters: match experts.routing {
                // The router does so once more since transformers 5.
                Routing::Drawn { jitter: true } => 2 - usize::from(four),
                _ => 0,
            },
        }
    }

    fn forward(&self, t: &Tape, x: &Tensor) -> (Tensor, Option<Tensor>) {
        match (&self.shared, &self.experts) {
            (shared, RoutedExperts::All(experts)) => {
                self.everywhere(t, x, experts, shared.as_ref())
            }
            (_, RoutedExperts::Parallel(experts)) => self.parallel(t, x, experts),
            (Some(SharedExpert { mlp, .. }), _)
                if !matches!(self.form, SharedForm::Gated | SharedForm::First) =>
            {
                (self.with_shared_expert(t, x, mlp), None)
            }
            (shared, RoutedExperts::Grouped(_)) => (self.grouped(t, x, shared.as_ref()), None),
            (shared, RoutedExperts::Loop(experts)) => self.looped(t, x, experts, shared.as_ref()),
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
            RoutedExperts::All(experts) => experts.forward(t, tokens),
            RoutedExperts::Parallel(_) => tokens.clone(),
        }
    }

    /// `Llama4TextMoe`, with the router's logits.
    fn everywhere(
        &self,
        t: &Tape,
        x: &Tensor,
        experts: &AllExperts,
        shared: Option<&SharedExpert>,
    ) -> (Tensor, Option<Tensor>) {
        let tokens = t.view(x, [x.dim(0) * x.dim(1), x.dim(2)]);
        let routed = t.scoped(self.name, None, || self.router.forward(t, &tokens));
        drop(routed.chosen);
        let weighted = experts.weighted(t, &tokens, &routed.weights);
        let from_experts = t.scoped("experts", None, || experts.forward(t, &weighted));
        let out = shared.map(|shared| shared.forward(t, &tokens));
        let sum = experts.summed(t, &from_experts);
        let out = match out {
            Some(out) => t.add_in_place(out, &sum),
            None => sum.clone(),
        };
        drop(sum);
        drop((weighted, from_experts, routed.weights));
        (t.view(&out, *x.shape()), routed.logits)
    }

    /// The tokens `[N, H]` of x `[B, S, H]`.
    fn tokens(&self, t: &Tape, x: &Tensor) -> Tensor {
        let jittered = |x: Tensor, time: usize| {
            if time > self.jitters || !t.is_training() {
                return x;
            }
            let noise = t.empty("empty_like", *x.shape(), x.dtype());
            t.jitter_in_place(x, &noise, time > 1)
        };
        let x = jittered(x.clone(), 1);
        let tokens = t.view(&x, [x.dim(0) * x.dim(1), x.dim(2)]);
        jittered(tokens, 2)
    }

    /// `MixtralSparseMoeBlock` and `Qwen2MoeSparseMoeBlock`.
    fn grouped(&self, t: &Tape, x: &Tensor, shared: Option<&SharedExpert>) -> Tensor {
        let tokens = self.tokens(t, x);
        let shared_output = shared.map(|shared| shared.forward(t, &tokens));
        let routed = t.scoped(self.name, None, || self.router.forward(t, &tokens));
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

    /// These blocks in transformers 4, with the router's logits.
    fn looped(
        &self,
        t: &Tape,
        x: &Tensor,
        experts: &ExpertLoop,
        shared: Option<&SharedExpert>,
    ) -> (Tensor, Option<Tensor>) {
        let tokens = self.tokens(t, x);
        let routed = t.scoped(self.name, None, || self.router.forward(t, &tokens));
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

    /// `GraniteMoeMoE` of transformers 4, with the router's logits.
    fn parallel(
        &self,
        t: &Tape,
        x: &Tensor,
        experts: &ParallelExperts,
    ) -> (Tensor, Option<Tensor>) {
        let tokens = self.tokens(t, x);
        let routed = t.scoped(self.name, None, || self.router.holding_largest(t, &tokens));
        let (out, logits) = experts.forward(t, &tokens, routed);
        (t.view(&out, *x.shape()), logits)
    }

    /// `DeepseekV3MoE`: the router sees the hidden states before they are flattened.
    fn with_shared_expert(&self, t: &Tape, x: &Tensor, mlp: &SharedMlp) -> Tensor {
        let route = |x| t.scoped(self.name, None, || self.router.forward(t, x));
        let flat = |x: &Tensor| t.view(x, [x.dim(0) * x.dim(1), x.dim(2)]);
        let last = matches!(self.form, SharedForm::Last { .. } | SharedForm::Averaged);
        let (routed, tokens, seen) = if last {
            let tokens = flat(x);
            (route(&tokens), tokens.clone(), tokens)
        } else {
            let (routed, tokens) = (route(x), flat(x));
            let between = self.form == SharedForm::Between;
            (
                routed,
                tokens.clone(),
                if between { tokens } else { x.clone() },
            )
        };
        let run = || t.scoped("shared_experts", None, || mlp.forward(t, &seen));
        let early = (self.form == SharedForm::Between).then(run);
        let out = match &self.latent {
            None => self.run(t, &tokens, &routed),
            Some([first, second]) => {
                let narrow = t.scoped(LATENT[0], None, || first.forward(t, &tokens));
                let out = self.run(t, &narrow, &routed);
                drop(narrow);
                t.scoped(LATENT[1], None, || second.forward(t, &out))
            }
        };
        let out = t.view(&out, *seen.shape());
        let sum = match (self.form, &early) {
            (_, Some(shared)) => t.add(shared, &out),
            (SharedForm::Last { wide: true }, _) => {
                let sum = {
                    let wide = t.to(&out, DType::Float32);
                    let shared = {
                        let shared = run();
                        t.to(&shared, DType::Float32)
                    };
                    t.add(&wide, &shared)
                };
                t.to(&sum, x.dtype())
            }
            (SharedForm::Averaged, _) => {
                let shared = run();
                let sum = t.add(&out, &shared);
                t.div_scalar(&sum)
            }
            _ => {
                let shared = run();
                t.add(&out, &shared)
            }
        };
        if let Some((name, norm)) = &self.norm {
            let normed = t.scoped(name, None, || norm.forward(t, &sum));
            drop((sum, routed, out, early));
            return normed;
        }
        drop((routed, out, early));
        t.view(&sum, *x.shape())
    }
}
