//! Experts that all run over all tokens, weighted before (Llama 4).
//!
//! Source: transformers 5.23, `models/llama4/modeling_llama4.py`.

use crate::model::Experts;
use crate::nn::adapters::Wrapped;
use crate::nn::build::Builder;
use crate::tape::{Tape, Tensor};

/// `Llama4TextExperts`: the weights of all experts, each with the tokens that it is given.
pub(crate) struct AllExperts {
    gate_up_proj: Wrapped,
    down_proj: Wrapped,
    count: u64,
    intermediate: u64,
}

impl AllExperts {
    pub(crate) fn new(b: &Builder, hidden: u64, experts: &Experts) -> Self {
        let (count, intermediate) = (experts.count, experts.intermediate_size);
        Self {
            gate_up_proj: Wrapped::new(b, "gate_up_proj", [count, hidden, 2 * intermediate]),
            down_proj: Wrapped::new(b, "down_proj", [count, intermediate, hidden]),
            count,
            intermediate,
        }
    }

    /// Tokens `[N, H]`, repeated for each expert, times scores `[N, E]`: `[E x N, H]`.
    pub(crate) fn weighted(&self, t: &Tape, tokens: &Tensor, scores: &Tensor) -> Tensor {
        let (n, hidden) = (tokens.dim(0), tokens.dim(1));
        let rows = self.count * n;
        let repeated = t.repeat_along(&t.view(tokens, [n, 1, hidden]), 0, self.count);
        let repeated = t.view(&repeated, [rows, hidden]);
        let column = t.reshape(&t.transpose(scores, 0, 1), [rows, 1]);
        t.mul(&repeated, &column)
    }

    /// `[E x N, H]` to the same.
    pub(crate) fn forward(&self, t: &Tape, tokens: &Tensor) -> Tensor {
        let (rows, hidden) = (tokens.dim(0), tokens.dim(1));
        // Adapters of the second product are around those of the first.
        let down = self.down_proj.open(t, &mut []);
        let up = self.gate_up_proj.open(t, &mut []);
        let each = t.view(tokens, [self.count, rows / self.count, hidden]);
        let both = t.batched(&each, up.get(t));
        let [gate, linear] = t.split(&both, [self.intermediate; 2], -1);
        let out = {
            let product = {
                let active = t.silu(&gate);
                t.mul(&linear, &active)
            };
            t.batched(&product, down.get(t))
        };
        drop((both, gate, linear));
        up.close_in(down, t, &mut []);
        t.view(&out, [rows, hidden])
    }

    /// The results of all experts, `[E x N, H]`, added up for each token: `[N, H]`.
    pub(crate) fn summed(&self, t: &Tape, out: &Tensor) -> Tensor {
        let (rows, hidden) = (out.dim(0), out.dim(1));
        let by_expert = t.view(out, [self.count, rows / self.count, hidden]);
        t.sum_dim(&by_expert, 0, false)
    }
}
