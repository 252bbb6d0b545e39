//! Attention whose queries and output are projected by experts (`JetMoeAttention` and `JetMoeMoA`,
//! `models/jetmoe/modeling_jetmoe.py`, transformers 5.23).

use super::attend::{attend_with_weights, in_heads};
use super::options::AttentionOptions;
use super::rotary;
use crate::model::{DecoderConfig, Experts};
use crate::nn::build::{Builder, Linear};
use crate::nn::decoder::Shared;
use crate::nn::experts::{Router, Sorted, one_by_one, stacks};
use crate::tape::{Tape, Tensor};
use crate::units::Shape;

/// `JetMoeAttention`.
pub(crate) struct ExpertAttention {
    /// `[H]`.
    bias: Tensor,
    /// `[E, K x D, H]` and `[E, H, K x D]`.
    stacks: [Tensor; 2],
    router: Router,
    kv_proj: Linear,
    head_dim: u64,
    options: AttentionOptions,
}

impl ExpertAttention {
    pub(crate) fn new(
        b: &Builder,
        c: &DecoderConfig,
        experts: &Experts,
        options: AttentionOptions,
    ) -> Self {
        let (hidden, width) = (c.hidden_size, c.num_key_value_heads * c.head_dim);
        let at = b.at("experts");
        let (bias, (stacks, router)) = at.parameter_after("bias", [hidden], || {
            let stacks = stacks(&at, experts.count, [width, hidden], [hidden, width]);
            (stacks, Router::new(&at.at("router"), hidden, experts))
        });
        Self {
            bias,
            stacks,
            router,
            kv_proj: Linear::new(&b.at("kv_proj"), hidden, 2 * width, false),
            head_dim: c.head_dim,
            options,
        }
    }

    /// `[B, S, H]` to the same, and the router's logits.
    pub(crate) fn forward(
        &self,
        t: &Tape,
        x: &Tensor,
        shared: &Shared,
    ) -> (Tensor, Option<Tensor>) {
        let [batch, seq, hidden] = [0, 1, 2].map(|i| x.dim(i));
        let (q, sorted) = self.queries(t, x);
        let [_, _, per_token, width] = [0, 1, 2, 3].map(|i| q.dim(i));
        let [k, v] = {
            let both = self.kv_proj.forward(t, x);
            t.split(&both, [width; 2], -1)
        };
        let [k, v] = [k, v].map(|y| in_heads(t, &y, self.head_dim));
        let [q, k] = {
            let rows = t.view(&q, [batch, seq, per_token * width]);
            drop(q);
            let both = [in_heads(t, &rows, self.head_dim), k];
            drop(rows);
            both.each_ref()
                .map(|x| rotary::apply(t, x, &shared.cos, &shared.sin))
        };
        let (k, v) = t.cached(k, v);
        let [k, v] = [k, v].map(|x| t.repeat_along(&x, 1, per_token));
        let mask = shared.mask.as_ref();
        let (out, weights) = attend_with_weights(t, self.options, &q, &k, &v, mask);
        let attended = t.view(&out, [batch * seq * per_token, width]);
        drop(out);
        let reduced = self.reduced(t, &attended, &sorted, [batch * seq, hidden]);
        drop(attended);
        self.router.record(sorted.logits.as_ref());
        drop((q, sorted.weights, sorted.batch, sorted.order));
        drop((k, v, weights));
        (t.view(&reduced, [batch, seq, hidden]), sorted.logits)
    }

    /// `JetMoeMoA.map`: the queries `[B, S, k, K x D]` of `[B, S, H]`.
    fn queries(&self, t: &Tape, x: &Tensor) -> (Tensor, Sorted) {
        let [input, _] = &self.stacks;
        let [batch, seq, hidden] = [0, 1, 2].map(|i| x.dim(i));
        let tokens = &t.view(x, [batch * seq, hidden]);
        let routed = t.scoped("router", None, || self.router.holding_largest(t, tokens));
        let per_token = routed.0.chosen.dim(1);
        let sorted = Sorted::of(t, routed, input.dim(0));
        let given = t.index_rows(tokens, &sorted.batch);
        let through = one_by_one(t, &given, input, &sorted.sizes);
        let zeros = t.empty("zeros", *through.shape(), through.dtype());
        let out = t.index_add(&zeros, &sorted.order, &through);
        drop((given, through, zeros));
        (t.view(&out, [batch, seq, per_token, input.dim(1)]), sorted)
    }

    /// `JetMoeMoA.reduce`: what heads have attended to `[N x k, K x D]` as `[N, H]`.
    fn reduced(&self, t: &Tape, attended: &Tensor, sorted: &Sorted, shape: [u64; 2]) -> Tensor {
        let [_, output] = &self.stacks;
        let given = t.index_rows(attended, &sorted.order);
        let weighted = {
            let through = one_by_one(t, &given, output, &sorted.sizes);
            t.mul(&through, &t.unsqueeze(&sorted.weights, 1))
        };
        let zeros = t.empty("zeros", Shape::from(shape), weighted.dtype());
        let out = {
            let sum = t.index_add(&zeros, &sorted.batch, &weighted);
            t.add(&sum, &self.bias)
        };
        drop((given, weighted, zeros));
        out
    }
}
