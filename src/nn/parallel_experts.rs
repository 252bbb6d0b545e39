//! Experts whose weights are one tensor each, run one after the other over tokens that are sorted by expert
//! (`GraniteMoeParallelExperts`, `models/granitemoe/modeling_granitemoe.py`, transformers 4.51 and 4.48).
//! How many tokens an expert gets depends on what the router has learned; here they are spread as evenly
//! as can be.

use super::builder::Builder;
use super::router::Routed;
use crate::spec::Experts;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// `GraniteMoeMoE` but for its router.
pub(super) struct ParallelExperts {
    /// `[E, 2F, H]`.
    input: Tensor,
    /// `[E, H, F]`.
    output: Tensor,
}

impl ParallelExperts {
    pub(super) fn new(b: &Builder, hidden: u64, experts: &Experts) -> Self {
        let (count, inner) = (experts.count, experts.intermediate_size);
        let stack = |name, shape: [u64; 3]| b.at(name).parameter("weight", shape);
        Self {
            input: stack("input_linear", [count, 2 * inner, hidden]),
            output: stack("output_linear", [count, hidden, inner]),
        }
    }

    /// Tokens `[N, H]` through the experts `[N, K]` that were chosen for them, weighted, and the logits of
    /// the router.
    pub(super) fn forward(
        &self,
        t: &Tape,
        tokens: &Tensor,
        (routed, largest): (Routed, Tensor),
    ) -> (Tensor, Option<Tensor>) {
        let (n, k, count) = (
            routed.chosen.dim(0),
            routed.chosen.dim(1),
            self.input.dim(0),
        );
        let pairs = n * k;
        let Routed {
            logits,
            weights: chosen_weights,
            chosen,
        } = routed;
        // GraniteMoeTopKGating
        let (order, batch, weights) = {
            let zeros = t.empty("zeros", Shape::from([n, count]), chosen_weights.dtype());
            let gates = t.empty("scatter", *zeros.shape(), zeros.dtype());
            drop({
                let whole = t.empty("_to_copy", *gates.shape(), DType::Int64);
                t.sum_dim(&whole, 0, false)
            });
            let (sorted, order) = t.sort(&t.reshape(&chosen, [pairs]));
            let batch = t.empty("div", *order.shape(), DType::Int64);
            let flat = t.reshape(&chosen_weights, [pairs]);
            let weights = t.index_rows(&flat, &order);
            drop((largest, chosen_weights, zeros, gates, sorted, chosen));
            (order, batch, weights)
        };
        let sizes: Vec<u64> = (0..count)
            .map(|expert| pairs / count + u64::from(expert < pairs % count))
            .collect();
        let given = t.index_rows(tokens, &batch);
        let [gate, up] = {
            let both = one_by_one(t, &given, &self.input, &sizes);
            let inner = both.dim(1) / 2;
            t.split(&both, [inner; 2], -1)
        };
        let inner = {
            let active = t.silu(&gate);
            t.mul(&active, &up)
        };
        let weighted = {
            let out = one_by_one(t, &inner, &self.output, &sizes);
            t.mul(&out, &t.unsqueeze(&weights, 1))
        };
        let zeros = t.empty("zeros", *tokens.shape(), weighted.dtype());
        let out = t.index_add(&zeros, &batch, &weighted);
        drop((order, batch, weights, given, gate, up));
        drop((inner, weighted, zeros));
        (out, logits)
    }
}

/// Rows `[n, I]`, so many of each expert, times its matrix of `weight` `[E, O, I]`: `[n, O]`.
fn one_by_one(t: &Tape, x: &Tensor, weight: &Tensor, sizes: &[u64]) -> Tensor {
    let parts = t.parts(x, sizes, 0);
    let through = |part: &Tensor| t.linear(part, &t.select(weight, 0), None);
    let outputs: Vec<Tensor> = parts.iter().map(through).collect();
    t.cat(&outputs.iter().collect::<Vec<_>>(), 0)
}
