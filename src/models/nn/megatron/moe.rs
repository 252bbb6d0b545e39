//! The mixture of experts of a layer (`core/transformer/moe/{moe_layer,experts}.py`), whose experts run one after
//! the other.

use super::config::ExpertConfig;
use super::dispatcher::Dispatcher;
use super::gathering::Gathering;
use super::mlp::Mlp;
use super::modules::Modules;
use super::router::{Routed, Router};
use crate::ask::ExpertDispatcher;
use crate::tape::{Function, Tape, Tensor};
use smallvec::smallvec;
use std::rc::Rc;

/// How tokens come to experts.
enum Dispatch {
    AllToAll(Dispatcher),
    AllGather(Gathering),
}

/// `MoELayer` with `SequentialMLP`.
pub(super) struct Mixture {
    router: Router,
    dispatcher: Dispatch,
    experts: Vec<Mlp>,
    config: ExpertConfig,
    recomputes: bool,
}

impl Mixture {
    pub(super) fn new(m: &Modules, config: ExpertConfig) -> Rc<Self> {
        let router = m.tape.scoped("router", None, || {
            Router::new(m, config.count, config.per_token)
        });
        let ranks = [config.ranks, m.config.tensor_ranks];
        let dispatcher = match config.dispatcher {
            ExpertDispatcher::AllToAll => Dispatch::AllToAll(Dispatcher::new(config.count, ranks)),
            ExpertDispatcher::AllGather => {
                Dispatch::AllGather(Gathering::new(m, config.count, ranks))
            }
        };
        let expert = |index: u64| {
            let index = u32::try_from(index).ok();
            m.tape.scoped("experts.local_experts", index, || {
                Mlp::of_expert(m, config.ffn_hidden_size, config.ranks > 1)
            })
        };
        Rc::new(Self {
            router,
            experts: (0..config.count / config.ranks).map(expert).collect(),
            dispatcher,
            config,
            recomputes: m.config.recomputes("moe"),
        })
    }

    /// `[S, B, H]` to the same.
    pub(super) fn forward(self: &Rc<Self>, t: &Tape, x: &Tensor) -> Tensor {
        if !self.recomputes {
            return self.run(t, x);
        }
        let mixture = Rc::clone(self);
        let region: Function = Rc::new(move |t, inputs| match inputs {
            [x, ..] => smallvec![mixture.run(t, x)],
            [] => smallvec![],
        });
        t.checkpoint_reentrant(&[x], region, Rc::new(())).remove(0)
    }

    fn run(&self, t: &Tape, x: &Tensor) -> Tensor {
        let (hidden, shape) = (x.dim(-1), *x.shape());
        let tokens = x.numel() / hidden.max(1);
        let capacity = self.config.capacity(tokens);
        let routed = t.scoped("router", None, || self.router.forward(t, x, capacity));
        let flat = t.view(x, [tokens, hidden]);
        let output = match &self.dispatcher {
            Dispatch::AllToAll(way) => self.all_to_all(t, way, &flat, routed, capacity),
            Dispatch::AllGather(way) => way.through(t, &flat, routed, capacity, |rows, weights| {
                self.experts(t, rows, weights)
            }),
        };
        t.view(&output, shape)
    }

    /// Tokens `[N, H]` to experts on other ranks and back.
    fn all_to_all(
        &self,
        t: &Tape,
        way: &Dispatcher,
        tokens: &Tensor,
        routed: Routed,
        capacity: u64,
    ) -> Tensor {
        let [permuted, weights] = way.permuted(t, tokens, routed, capacity);
        let dispatched = way.exchanged(t, &permuted);
        let weights = {
            let exchanged = way.exchanged(t, &weights);
            drop(weights);
            exchanged
        };
        let output = {
            let [rows, weights] = way.sorted(t, [&dispatched, &weights], capacity);
            let given = self.experts(t, &rows, &weights);
            drop((rows, weights));
            way.unsorted(t, &given, capacity)
        };
        let output = {
            let combined = way.exchanged(t, &output);
            drop(output);
            combined
        };
        let output = {
            let combined = way.combined(t, &output, tokens.dim(0));
            drop(output);
            combined
        };
        drop((permuted, weights, dispatched));
        output
    }

    /// `SequentialMLP.forward`: rows `[n, H]` with their weights `[n]`, as many for each expert.
    fn experts(&self, t: &Tape, rows: &Tensor, weights: &Tensor) -> Tensor {
        if let [expert] = &self.experts[..] {
            return expert.weighted(t, rows, weights);
        }
        let count = self.experts.len();
        let sizes = vec![rows.dim(0) / count.max(1) as u64; count];
        let rows = t.parts(rows, &sizes, 0);
        let weights = t.parts(weights, &sizes, 0);
        let each = self.experts.iter().zip(rows.iter().zip(&weights));
        let given: Vec<Tensor> = each
            .map(|(expert, (rows, weights))| expert.weighted(t, rows, weights))
            .collect();
        let all: Vec<&Tensor> = given.iter().collect();
        t.cat(&all, 0)
    }
}
