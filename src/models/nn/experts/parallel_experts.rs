//! Experts whose weights are one tensor each, run one after the other over tokens that are sorted by expert
//! (`GraniteMoeParallelExperts`, `models/granitemoe/modeling_granitemoe.py`, transformers 4.51 and 4.48;
//! `JetMoeParallelExperts`, `models/jetmoe/modeling_jetmoe.py`, 5.23).
//! How many tokens an expert gets depends on what the router has learned; here they are spread as evenly
//! as can be.

use super::router::Routed;
use crate::model::{BESIDE, Experts};
use crate::nn::build::Builder;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// `GraniteMoeMoE` and `JetMoeMoE` but for their routers.
pub(crate) struct ParallelExperts {
    /// `[E, 2F, H]`.
    input: Tensor,
    /// `[E, H, F]`.
    output: Tensor,
    /// The bias of their results, `[H]`.
    bias: Option<Tensor>,
}

/// Tokens in the order of the experts that they go through, each as often as it does.
pub(crate) struct Sorted {
    /// The place of a pair of token and expert before, `[N x K]`.
    pub(crate) order: Tensor,
    /// The token of each row, `[N x K]`.
    pub(crate) batch: Tensor,
    /// The weight of its result, `[N x K]`.
    pub(crate) weights: Tensor,
    /// Pairs of each expert.
    pub(crate) sizes: Vec<u64>,
    /// The router's logits `[N, E]`.
    pub(crate) logits: Option<Tensor>,
}

impl Sorted {
    /// `GraniteMoeTopKGating` and `JetMoeTopKGating`, of `count` experts.
    pub(crate) fn of(t: &Tape, (routed, largest): (Routed, Tensor), count: u64) -> Self {
        let (n, k) = (routed.chosen.dim(0), routed.chosen.dim(1));
        let pairs = n * k;
        let Routed {
            logits,
            weights: chosen_weights,
            chosen,
        } = routed;
        let zeros = t.empty("zeros", Shape::from([n, count]), chosen_weights.dtype());
        let gates = t.empty("scatter", *zeros.shape(), zeros.dtype());
        drop({
            let whole = t.empty("_to_copy", *gates.shape(), DType::Int64);
            t.reduce("sum", &whole, Shape::from([count]), DType::Int64)
        });
        let (sorted, order) = t.sort(&t.reshape(&chosen, [pairs]));
        let batch = t.empty("div", *order.shape(), DType::Int64);
        let flat = t.reshape(&chosen_weights, [pairs]);
        let weights = t.index_rows(&flat, &order);
        drop((largest, flat, chosen_weights, zeros, gates, sorted, chosen));
        Self {
            order,
            batch,
            weights,
            sizes: (0..count)
                .map(|expert| pairs / count + u64::from(expert < pairs % count))
                .collect(),
            logits,
        }
    }
}

impl ParallelExperts {
    pub(crate) fn new(b: &Builder, hidden: u64, experts: &Experts) -> Self {
        let (count, inner) = (experts.count, experts.intermediate_size);
        let [input, output] = stacks(b, count, [2 * inner, hidden], [hidden, inner]);
        Self {
            input,
            output,
            bias: None,
        }
    }

    /// Experts with a bias on their results.
    pub(crate) fn biased(self, bias: Tensor) -> Self {
        Self {
            bias: Some(bias),
            ..self
        }
    }

    /// Tokens `[N, H]` through the experts `[N, K]` that were chosen for them, weighted, and the logits of
    /// the router where the layer is given them.
    pub(crate) fn forward(
        &self,
        t: &Tape,
        tokens: &Tensor,
        routed: (Routed, Tensor),
    ) -> (Tensor, Option<Tensor>) {
        let sorted = Sorted::of(t, routed, self.input.dim(0));
        let given = t.index_rows(tokens, &sorted.batch);
        let [gate, up] = {
            let both = one_by_one(t, &given, &self.input, &sorted.sizes);
            let inner = both.dim(1) / 2;
            t.split(&both, [inner; 2], -1)
        };
        let inner = {
            let active = t.silu(&gate);
            t.mul(&active, &up)
        };
        let weighted = {
            let out = one_by_one(t, &inner, &self.output, &sorted.sizes);
            t.mul(&out, &t.unsqueeze(&sorted.weights, 1))
        };
        let zeros = t.empty("zeros", *tokens.shape(), weighted.dtype());
        let mut out = t.index_add(&zeros, &sorted.batch, &weighted);
        if let Some(bias) = &self.bias {
            out = t.add(&out, bias);
        }
        drop((sorted.order, sorted.batch, sorted.weights));
        drop((given, gate, up, inner, weighted, zeros));
        (out, sorted.logits.filter(|_| self.bias.is_none()))
    }
}

/// The matrices of `count` experts before and after what they do, with the rows and columns `first` and `second`.
pub(crate) fn stacks(b: &Builder, count: u64, first: [u64; 2], second: [u64; 2]) -> [Tensor; 2] {
    let all = [(BESIDE[0], first), (BESIDE[1], second)];
    all.map(|(name, [rows, columns])| b.at(name).parameter("weight", [count, rows, columns]))
}

/// Rows `[n, I]`, `sizes` of each expert, times its matrix of `weight` `[E, O, I]`: `[n, O]`.
pub(crate) fn one_by_one(t: &Tape, x: &Tensor, weight: &Tensor, sizes: &[u64]) -> Tensor {
    let parts = t.parts(x, sizes, 0);
    let through = |part: &Tensor| t.linear(part, &t.select(weight, 0), None);
    let mut outputs: Vec<Tensor> = parts.iter().map(through).collect();
    let joined = t.cat(&outputs.iter().collect::<Vec<_>>(), 0);
    // A list of Python's lets the last go first.
    while outputs.pop().is_some() {}
    joined
}
