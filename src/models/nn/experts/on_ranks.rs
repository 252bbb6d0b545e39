//! Experts of which each rank has some, whole: how tokens meet them.
//!
//! How many tokens go to each rank depends on the router; they are taken to be as many to any.
//!
//! Source: `distributed/expert_parallel.py`, transformers 5.23.

use crate::ask::ExpertParallelKind;
use crate::model::Experts;
use crate::nn::build::Builder;
use crate::tape::{Collective, Tape, Tensor};
use crate::units::{DType, Shape};

/// How the experts of a layer are divided among ranks.
pub(crate) struct OnRanks {
    kind: ExpertParallelKind,
    /// Ranks that divide the experts.
    ranks: u64,
    /// Ranks that see the same tokens.
    sharing: u64,
    /// Experts of all ranks.
    experts: u64,
}

/// Tensors that an exchange keeps for the way back (`_AllToAllState`).
struct Sent {
    /// The place of each row among tokens and their experts.
    order: Tensor,
    /// Weights of the chosen experts `[N, K]`.
    weights: Tensor,
    /// Tokens of all ranks that see the same.
    tokens: u64,
}

/// Rows that were sent to their experts' ranks.
struct Dispatched {
    /// Rows that this rank's experts get.
    own: Tensor,
    /// The expert of each row.
    ids: Tensor,
    /// Ones for weights.
    ones: Tensor,
    /// How the rows go back.
    sent: Sent,
}

impl OnRanks {
    /// The exchange of tokens of a run, if it divides experts.
    pub(crate) fn of(b: &Builder, experts: &Experts) -> Option<Self> {
        let spec = b.plan.spec;
        Some(Self {
            kind: spec.parallelism.ep.kind,
            ranks: spec.expert_ranks()?,
            sharing: spec.parallelism.tp.size,
            experts: experts.count,
        })
    }

    /// Experts of this rank.
    pub(crate) fn own(&self) -> u64 {
        self.experts / self.ranks
    }

    /// Tokens `[N, H]` through the experts `[N, K]` that were chosen for them, weighted: `run` does so with
    /// tokens, experts and weights that this rank has. Where ranks see the same tokens they are summed unless
    /// gradients are to flow (`AutoEP`).
    pub(crate) fn forward(
        &self,
        t: &Tape,
        tokens: &Tensor,
        [chosen, weights]: [&Tensor; 2],
        run: impl FnOnce(&Tensor, [&Tensor; 2]) -> Tensor,
    ) -> Tensor {
        let trains = t.is_grad_enabled() && tokens.requires_grad();
        let sums =
            self.kind == ExpertParallelKind::AllReduce || (self.sharing == self.ranks && !trains);
        if sums {
            return self.summed(t, tokens, [chosen, weights], run);
        }
        let Dispatched {
            own,
            ids,
            ones,
            sent,
        } = self.dispatched(t, tokens, [chosen, weights]);
        let out = run(&own, [&ids, &ones]);
        let combined = self.combined(t, &out, &sent);
        drop((own, ids, ones, out));
        t.to(&combined, tokens.dtype())
    }

    /// `_dispatch_tokens`.
    fn dispatched(&self, t: &Tape, tokens: &Tensor, [chosen, weights]: [&Tensor; 2]) -> Dispatched {
        let whole = tokens.dim(0);
        let [tokens, chosen, weights] = [tokens, chosen, weights].map(|x| {
            if self.sharing > 1 {
                t.distributed(|| t.own_rows(x, self.sharing))
            } else {
                x.clone()
            }
        });
        let n = chosen.numel();
        let numbers = |op, n| t.empty(op, Shape::from([n]), DType::Int64);
        let (sorted, order) = t.sort(&t.view(&chosen, [n]));
        drop(sorted);
        let rows = {
            let rows = t.empty("floor_divide", *order.shape(), order.dtype());
            t.index_rows(&tokens, &rows)
        };
        let counts = numbers("zeros", self.experts);
        drop(numbers("ones_like", n));
        let received = numbers("empty_like", self.experts);
        {
            let _sums = [(); 2].map(|()| numbers("sum", self.ranks));
            drop(numbers("stack", 2 * self.ranks));
        }
        let own = t.exchanged(&rows, self.ranks);
        let ids = {
            let experts = {
                let _range = numbers("arange", self.own());
                numbers("repeat", self.experts)
            };
            let places = {
                let _sums = t.cumsum(Shape::from([self.experts]), DType::Int64);
                numbers("repeat_interleave", n)
            };
            let ids = t.empty("index_select", Shape::from([n, 1]), DType::Int64);
            drop((places, experts));
            ids
        };
        let ones = t.empty("ones_like", Shape::from([n, 1]), own.dtype());
        drop((tokens, chosen, rows, counts, received));
        let sent = Sent {
            order,
            weights,
            tokens: whole,
        };
        Dispatched {
            own,
            ids,
            ones,
            sent,
        }
    }

    /// `_combine_tokens`: what the experts gave goes back, is weighted and summed for each token.
    fn combined(&self, t: &Tape, out: &Tensor, sent: &Sent) -> Tensor {
        let hidden = out.dim(1);
        let back = t.exchanged(out, self.ranks);
        let rows = {
            let rows = t.empty("empty_like", *back.shape(), back.dtype());
            t.put_in_rows(&rows, &sent.order, &back)
        };
        let (n, k) = (sent.weights.dim(0), sent.weights.dim(1));
        let sum = {
            let by_token = t.view(&rows, Shape::from([n, k, hidden]));
            let weighted = t.mul(&by_token, &t.unsqueeze(&sent.weights, 2));
            t.sum_dim(&weighted, 1, false)
        };
        if self.sharing == 1 {
            return sum;
        }
        t.distributed(|| t.gathered_rows(&sum, sent.tokens, self.sharing))
    }

    /// `AllReduceEP`: this rank's experts see all tokens, those for other ranks' experts with a weight of zero, and
    /// results are summed in place.
    fn summed(
        &self,
        t: &Tape,
        tokens: &Tensor,
        [chosen, weights]: [&Tensor; 2],
        run: impl FnOnce(&Tensor, [&Tensor; 2]) -> Tensor,
    ) -> Tensor {
        let [tokens, weights] = [tokens, weights].map(|x| t.own_part(x, self.ranks));
        let alike = |op, dtype| t.empty(op, *chosen.shape(), dtype);
        let elsewhere = {
            let _ranks = alike("floor_divide", DType::Int64);
            alike("ne", DType::Bool)
        };
        let ids = {
            let _own = alike("remainder", DType::Int64);
            let _none = t.empty("scalar_tensor", Shape::new(&[]), DType::Int64);
            alike("where", DType::Int64)
        };
        let weights = t.masked_fill(&weights, &elsewhere);
        drop(elsewhere);
        let out = run(&tokens, [&ids, &weights]);
        t.communicates(Collective::AllReduce, out.nbytes(), self.ranks);
        out
    }
}
