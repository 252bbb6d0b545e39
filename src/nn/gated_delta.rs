//! The mixer of Qwen3-Next and Qwen3.5 (`Qwen3NextGatedDeltaNet`, `Qwen3_5GatedDeltaNet`,
//! `models/{qwen3_next,qwen3_5}/modeling_*.py`, transformers 5.23) with the kernels of flash-linear-attention, which transformers takes where that
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
    inputs: Inputs,
    norm: Tensor,
    out_proj: Linear,
    /// Columns of a head of keys.
    key_columns: u64,
    /// Heads of values, their columns, and heads of keys.
    heads: ScanHeads,
    padding: bool,
}

/// The layers that read the hidden states.
enum Inputs {
    /// One for queries, keys, values and the gate, and one for rates, in groups (Qwen3-Next).
    Grouped([Linear; 2]),
    /// One for queries, keys and values, one for the gate and two for rates (Qwen3.5).
    Apart([Linear; 4]),
}

/// What they give.
struct Projected {
    /// Queries, keys and values `[B, S, C]`.
    joined: Tensor,
    /// What those were joined from.
    parts: Vec<Tensor>,
    /// `[B, S, heads, D]`.
    gate: Tensor,
    /// Of writing and of decay, `[B, S, heads]` each.
    rates: [Tensor; 2],
    /// What stays in local variables.
    held: Vec<Tensor>,
}

impl GatedDelta {
    /// From `hidden` columns to as many.
    pub(super) fn new(
        b: &Builder,
        hidden: u64,
        sizes: &StateSpace,
        heads: ScanHeads,
        apart: bool,
    ) -> Self {
        let of_heads = |name| b.parameter(name, [heads.count]);
        let (dt_bias, a_log) = (of_heads("dt_bias"), of_heads("A_log"));
        let (keys, values) = (heads.groups * sizes.state_size, heads.count * heads.columns);
        let channels = 2 * keys + values;
        let linear = |name, inputs, outputs| Linear::new(&b.at(name), inputs, outputs, false);
        let conv = CausalConv::new(&b.at("conv1d"), channels, sizes.conv_kernel, false);
        let grouped = (!apart).then(|| {
            let both = linear("in_proj_qkvz", hidden, channels + values);
            Inputs::Grouped([both, linear("in_proj_ba", hidden, 2 * heads.count)])
        });
        let norm = b.at("norm").parameter("weight", [heads.columns]);
        let out_proj = linear("out_proj", values, hidden);
        let separate = || {
            let joined = linear("in_proj_qkv", hidden, channels);
            let gate = linear("in_proj_z", hidden, values);
            let rates = ["in_proj_b", "in_proj_a"].map(|name| linear(name, hidden, heads.count));
            let [b, a] = rates;
            Inputs::Apart([joined, gate, b, a])
        };
        Self {
            dt_bias,
            a_log,
            conv,
            inputs: grouped.unwrap_or_else(separate),
            norm,
            out_proj,
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
        let keys = self.key_columns;
        let by_head = |y: &Tensor| t.reshape(y, [batch, seq, count, columns]);
        let Projected {
            joined,
            parts,
            gate,
            rates: [b, a],
            held,
        } = match &self.inputs {
            Inputs::Grouped(layers) => self.grouped(t, layers, &x),
            Inputs::Apart(layers) => {
                let [joined, gate, b, a] = layers.each_ref().map(|layer| layer.forward(t, &x));
                Projected {
                    joined,
                    parts: Vec::new(),
                    gate: by_head(&gate),
                    rates: [b, a],
                    held: Vec::new(),
                }
            }
        };
        let mixed = {
            let convolved = self.conv.forward(t, &t.transpose(&joined, 1, 2));
            drop(joined);
            t.transpose(&convolved, 1, 2)
        };
        drop(parts);
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
        let given = [&query, &key, &value, &decay, &beta];
        let (out, last) = if seq == 1 && t.knows_state() {
            t.shared_gated_delta_step(given)
        } else {
            t.shared_gated_delta_rule(given)
        };
        if let Some(last) = &last {
            t.state(*last.shape(), last.dtype());
        }
        let normalized = t.scoped("norm", None, || self.normalized(t, out, &gate));
        let out = {
            let flat = t.view(&normalized, [batch, seq, count * columns]);
            self.out_proj.forward(t, &flat)
        };
        drop((x, held, gate, b, a, last));
        drop((mixed, query, key, value, beta, decay, normalized));
        out
    }

    /// All projections by way of two layers, whose columns lie in groups of heads that share keys.
    fn grouped(&self, t: &Tape, [both, rates]: &[Linear; 2], x: &Tensor) -> Projected {
        let (batch, seq) = (x.dim(0), x.dim(1));
        let ScanHeads {
            count,
            columns,
            groups,
            ..
        } = self.heads;
        let both = both.forward(t, x);
        let rates = rates.forward(t, x);
        let (share, keys) = (count / groups, self.key_columns);
        let of_group = |y: &Tensor| t.view(y, [batch, seq, groups, y.dim(2) / groups]);
        let parts = [keys, keys, share * columns, share * columns];
        let [query, key, value, gate] = t.split(&of_group(&both), parts, 3);
        let [b, a] = t.split(&of_group(&rates), [share; 2], 3);
        let by_head = |y: &Tensor| t.reshape(y, [batch, seq, count, columns]);
        let (values, gate) = (by_head(&value), by_head(&gate));
        let [b, a] = [b, a].map(|y| t.reshape(&y, [batch, seq, count]));
        let flat = |y: &Tensor| t.reshape(y, [batch, seq, y.dim(2) * y.dim(3)]);
        let parts = [flat(&query), flat(&key), flat(&values)];
        drop(values);
        let [query, key, value] = &parts;
        Projected {
            joined: t.cat(&[query, key, value], -1),
            parts: parts.into(),
            gate,
            rates: [b, a],
            held: vec![both, rates],
        }
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
