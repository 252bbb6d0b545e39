//! Attention as the difference of two.
//!
//! Source: transformers 5.23, `models/diffllama/modeling_diffllama.py`.

use super::attend::{attend_with_weights, in_heads};
use super::options::AttentionOptions;
use super::rotary;
use crate::model::{DecoderConfig, LAMBDAS};
use crate::nn::build::{Builder, Linear};
use crate::nn::decoder::Shared;
use crate::tape::{Tape, Tensor};

/// `DiffLlamaAttention`: heads attend to either half of the values, and the second half of the heads is
/// taken from the first.
pub(crate) struct DifferentialAttention {
    projections: [Linear; 3],
    o_proj: Linear,
    /// Of each half, the two factors that tell how much of it is taken, `[D]`.
    lambdas: [Tensor; 4],
    head_dim: u64,
    options: AttentionOptions,
}

impl DifferentialAttention {
    pub(crate) fn new(b: &Builder, c: &DecoderConfig, options: AttentionOptions) -> Self {
        let (queries, keys) = (
            c.num_attention_heads * c.head_dim,
            c.num_key_value_heads * c.head_dim,
        );
        let linear =
            |name, inputs, outputs| Linear::new(&b.at(name), inputs, outputs, c.attention_bias);
        let projections = || {
            let all = [("q_proj", queries), ("k_proj", keys), ("v_proj", keys)];
            let projections = all.map(|(name, outputs)| linear(name, c.hidden_size, outputs));
            (projections, linear("o_proj", queries, c.hidden_size))
        };
        // Among the parameters they come before those of its layers.
        let [q1, k1, q2, k2] = LAMBDAS;
        let size = [c.head_dim];
        let (q1, (k1, (q2, (k2, (projections, o_proj))))) = b.parameter_after(q1, size, || {
            b.parameter_after(k1, size, || {
                b.parameter_after(q2, size, || b.parameter_after(k2, size, projections))
            })
        });
        Self {
            projections,
            o_proj,
            lambdas: [q1, k1, q2, k2],
            head_dim: c.head_dim,
            options,
        }
    }

    /// `[B, S, H]` to the same, with eager attention's weights, which the layer holds.
    pub(crate) fn forward(
        &self,
        t: &Tape,
        x: &Tensor,
        shared: &Shared,
    ) -> (Tensor, Option<Tensor>) {
        let part = |projection: &Linear| in_heads(t, &projection.forward(t, x), self.head_dim);
        let [q, k, v] = self.projections.each_ref().map(part);
        let [q, k] = {
            let both = [q, k];
            both.each_ref()
                .map(|x| rotary::apply(t, x, &shared.cos, &shared.sin))
        };
        let (k, v) = t.cached(k, v);
        let values = {
            let halves = t.split(&v, [v.dim(1) / 2; 2], 1);
            halves.each_ref().map(|half| t.repeat_along(half, 1, 2))
        };
        let mask = shared.mask.as_ref();
        let attend = |v: &Tensor| attend_with_weights(t, self.options, &q, &k, v, mask);
        let (first, weights) = attend(&values[0]);
        let (second, _others) = attend(&values[1]);
        let both = t.cat(&[&first, &second], -1);
        drop((first, second));
        let [first, second] = t.split(&both, [both.dim(2) / 2; 2], 2);
        let [q1, k1, q2, k2] = &self.lambdas;
        let of = |[a, b]: [&Tensor; 2]| {
            let wide = {
                let logarithm = {
                    let product = t.mul(a, b);
                    t.sum_wide(&product)
                };
                t.exp(&logarithm)
            };
            t.to(&wide, q.dtype())
        };
        let [one, two] = [[q1, k1], [q2, k2]].map(of);
        let lambda = {
            let difference = t.sub(&one, &two);
            t.add_scalar(&difference)
        };
        let out = {
            let taken = t.mul(&lambda, &second);
            t.sub(&first, &taken)
        };
        let out = {
            let normalized = t.rms_norm(&out, None);
            drop(out);
            t.mul_scalar(&normalized)
        };
        let out = t.reshape(&out, [x.dim(0), x.dim(1), out.dim(2) * out.dim(3)]);
        let projected = self.o_proj.forward(t, &out);
        drop((out, q, k, v, values, both, first, second, one, two, lambda));
        (projected, weights)
    }
}
