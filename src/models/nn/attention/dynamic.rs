//! Attention under a mask that is made of values (`DogeAttention`, `models/doge/modeling_doge.py`,
//! transformers 5.23). Where there are more keys than a token keeps it would hide some, too; that is refused.

use super::attend::{attend_with_weights, dropped, joined, repeat_kv};
use super::options::AttentionOptions;
use super::rotary;
use crate::model::{DecoderConfig, NormKind};
use crate::nn::build::{Builder, Linear, Norm};
use crate::nn::decoder::Shared;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// `DogeAttention`.
pub(crate) struct DynamicAttention {
    projections: [Linear; 3],
    /// `[K]`.
    rates: Tensor,
    dt_proj: Linear,
    o_proj: Linear,
    norms: [Norm; 2],
    head_dim: u64,
    dropout: bool,
    options: AttentionOptions,
}

impl DynamicAttention {
    pub(crate) fn new(b: &Builder, c: &DecoderConfig, options: AttentionOptions) -> Self {
        let [queries, keys] =
            [c.num_attention_heads, c.num_key_value_heads].map(|heads| heads * c.head_dim);
        let linear =
            |name, inputs, outputs| Linear::new(&b.at(name), inputs, outputs, c.attention_bias);
        let (rates, (projections, dt_proj, o_proj, norms)) =
            b.parameter_after("A", [c.num_key_value_heads], || {
                let all = [("q_proj", queries), ("k_proj", keys), ("v_proj", keys)];
                let projections = all.map(|(name, outputs)| linear(name, c.hidden_size, outputs));
                let norm = |name| Norm::new(&b.at(name), NormKind::Root, c.head_dim);
                (
                    projections,
                    linear("dt_proj", keys, c.num_key_value_heads),
                    linear("o_proj", queries, c.hidden_size),
                    ["q_norm", "k_norm"].map(norm),
                )
            });
        Self {
            projections,
            rates,
            dt_proj,
            o_proj,
            norms,
            head_dim: c.head_dim,
            dropout: c.dropout.residual,
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
        let rows = |y: &Tensor| {
            let heads = y.dim(2) / self.head_dim;
            t.view(y, [y.dim(0), y.dim(1), heads, self.head_dim])
        };
        let [of_q, of_k, of_v] = &self.projections;
        let [q_norm, k_norm] = &self.norms;
        let normalized = |projection: &Linear, norm: &Norm| {
            let y = rows(&projection.forward(t, x));
            t.transpose(&norm.forward(t, &y), 1, 2)
        };
        let both = [normalized(of_q, q_norm), normalized(of_k, k_norm)];
        let v = t.transpose(&rows(&of_v.forward(t, x)), 1, 2);
        let [q, k] = both
            .each_ref()
            .map(|x| rotary::apply(t, x, &shared.cos, &shared.sin));
        drop(both);
        let (k, v) = t.cached(k, v);
        let steps = {
            let flat = [v.dim(0), v.dim(2), v.dim(1) * v.dim(3)];
            let made = {
                let values = t.reshape(&t.transpose(&v, 1, 2), flat);
                self.dt_proj.forward(t, &values)
            };
            let weighed = {
                let steps = t.softplus(&made);
                drop(made);
                t.mul(&self.rates, &steps)
            };
            t.transpose(&t.exp(&weighed), 1, 2)
        };
        let mask = {
            let mask = masked(t, &steps, (x, shared.mask.as_ref()));
            repeat_kv(t, self.options.facts, &mask, q.dim(1) / v.dim(1))
        };
        let (out, weights) = attend_with_weights(t, self.options, &q, &k, &v, Some(&mask));
        let out = joined(t, out);
        let projected = self.o_proj.forward(t, &out);
        drop(out);
        let result = dropped(t, projected, self.dropout);
        drop((q, k, v, steps, mask));
        (result, weights)
    }
}

/// `prepare_dynamic_mask`: `[B, K, T]` expanded to `[B, K, S, T]` for the S tokens of x, with a constant where the mask
/// hides a key.
fn masked(t: &Tape, steps: &Tensor, (x, mask): (&Tensor, Option<&Tensor>)) -> Tensor {
    let [b, heads, keys] = [0, 1, 2].map(|i| steps.dim(i));
    let all = t.expand(
        &t.unsqueeze(steps, 2),
        Shape::from([b, heads, x.dim(1), keys]),
    );
    let Some(mask) = mask else { return all };
    let added = if mask.dtype() == DType::Bool {
        let number = |op| t.empty(op, Shape::new(&[]), x.dtype());
        let _numbers = (number("full"), number("scalar_tensor"));
        t.empty("where", *mask.shape(), x.dtype())
    } else {
        mask.clone()
    };
    let hidden = t.empty("ne", *added.shape(), DType::Bool);
    let mask = t.masked_fill(&all, &hidden);
    drop(added);
    mask
}
