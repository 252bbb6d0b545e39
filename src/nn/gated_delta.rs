//! The mixer of Qwen3-Next (`Qwen3NextGatedDeltaNet`, `models/qwen3_next/modeling_qwen3_next.py`,
//! transformers 5.23) with the kernels of flash-linear-attention, which transformers takes where that
//! is installed.

use super::builder::Builder;
use super::causal_conv::CausalConv;
use super::layers::Linear;
use super::norm::root_mean_square;
use crate::spec::{ScanHeads, StateSpace};
use crate::tape::{Tape, Tensor};
use crate::units::DType;

/// `Qwen3NextGatedDeltaNet`.
pub(super) struct GatedDelta {
    dt_bias: Tensor,
    a_log: Tensor,
    conv: CausalConv,
    in_proj_qkvz: Linear,
    in_proj_ba: Linear,
    norm: Tensor,
    out_proj: Linear,
    /// Columns of a head of keys.
    key_columns: u64,
    /// Heads of values, their columns, and heads of keys.
    heads: ScanHeads,
    padding: bool,
}

impl GatedDelta {
    /// From `hidden` columns to as many.
    pub(super) fn new(b: &Builder, hidden: u64, sizes: &StateSpace, heads: ScanHeads) -> Self {
        let of_heads = |name| b.parameter(name, [heads.count]);
        let (dt_bias, a_log) = (of_heads("dt_bias"), of_heads("A_log"));
        let (keys, values) = (heads.groups * sizes.state_size, heads.count * heads.columns);
        let channels = 2 * keys + values;
        let linear = |name, inputs, outputs| Linear::new(&b.at(name), inputs, outputs, false);
        Self {
            dt_bias,
            a_log,
            conv: CausalConv::new(&b.at("conv1d"), channels, sizes.conv_kernel, false),
            in_proj_qkvz: linear("in_proj_qkvz", hidden, channels + values),
            in_proj_ba: linear("in_proj_ba", hidden, 2 * heads.count),
            norm: b.at("norm").parameter("weight", [heads.columns]),
            out_proj: linear("out_proj", values, hidden),
            key_columns: sizes.state_size,
            heads,
            padding: b.has_padding_mask(),
        }
    }

    /// `[B, S, H]` to the same.
    pub(super) fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        let (batch, seq) = (x.dim(0), x.dim(1));
        let ScanHeads {
            count,
            columns,
            groups,
            ..
        } = self.heads;
        // apply_mask_to_padding_states
        let x = if self.padding {
            t.mul_scalar(x)
        } else {
            x.clone()
        };
        let both = self.in_proj_qkvz.forward(t, &x);
        let rates = self.in_proj_ba.forward(t, &x);
        let (share, keys) = (count / groups, self.key_columns);
        let of_group = |y: &Tensor| t.view(y, [batch, seq, groups, y.dim(2) / groups]);
        let parts = [keys, keys, share * columns, share * columns];
        let [query, key, value, gate] = t.split(&of_group(&both), parts, 3);
        let [b, a] = t.split(&of_group(&rates), [share; 2], 3);
        let by_head = |y: &Tensor| t.reshape(y, [batch, seq, count, columns]);
        let (values, gate) = (by_head(&value), by_head(&gate));
        let [b, a] = [b, a].map(|y| t.reshape(&y, [batch, seq, count]));
        let flat = |y: &Tensor| t.reshape(y, [batch, seq, y.dim(2) * y.dim(3)]);
        let [query, key, value] = [flat(&query), flat(&key), flat(&values)];
        drop(values);
        let mixed = {
            let joined = t.cat(&[&query, &key, &value], -1);
            let convolved = self.conv.forward(t, &t.transpose(&joined, 1, 2));
            t.transpose(&convolved, 1, 2)
        };
        drop((query, key, value));
        let widths = [groups * keys, groups * keys, count * columns];
        let [query, key, value] = t.split(&mixed, widths, -1);
        let query = t.reshape(&query, [batch, seq, groups, keys]);
        let key = t.reshape(&key, [batch, seq, groups, keys]);
        let value = by_head(&value);
        let beta = t.sigmoid(&b);
        let decay = {
            let rate = {
                let power = {
                    let wide = t.to(&self.a_log, DType::Float32);
                    t.exp(&wide)
                };
                t.neg(&power)
            };
            let step = {
                let shifted = {
                    let wide = t.to(&a, DType::Float32);
                    t.add(&wide, &self.dt_bias)
                };
                t.softplus(&shifted)
            };
            t.mul(&rate, &step)
        };
        let out = t.shared_gated_delta_rule([&query, &key, &value, &decay, &beta]);
        let normalized = t.scoped("norm", None, || self.normalized(t, out, &gate));
        let out = {
            let flat = t.view(&normalized, [batch, seq, count * columns]);
            self.out_proj.forward(t, &flat)
        };
        drop((x, both, rates, gate, b, a));
        drop((mixed, query, key, value, beta, decay, normalized));
        out
    }

    /// `Qwen3NextRMSNormGated` of `[B, S, heads, D]`.
    fn normalized(&self, t: &Tape, x: Tensor, gate: &Tensor) -> Tensor {
        let dtype = x.dtype();
        let (normalized, variance) = root_mean_square(t, &x);
        let weighted = {
            let narrow = t.to(&normalized, dtype);
            t.mul(&self.norm, &narrow)
        };
        drop(normalized);
        let gated = {
            let active = t.silu(&t.to(gate, DType::Float32));
            t.mul(&weighted, &active)
        };
        drop(weighted);
        let out = t.to(&gated, dtype);
        drop((gated, variance, x));
        out
    }
}
