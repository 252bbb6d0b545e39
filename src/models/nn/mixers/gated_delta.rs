//! The mixer of Qwen3-Next, Qwen3.5 and `OLMo` Hybrid (`Qwen3NextGatedDeltaNet` and its like,
//! `models/{qwen3_next,qwen3_5,olmo_hybrid}/modeling_*.py`, transformers 5.23) with the kernels of flash-linear-attention, which transformers takes where that
//! is installed.

use super::causal_conv::CausalConv;
use super::decay_rate::decay_rate;
use crate::model::{DeltaRule, ScanHeads, StateSpace};
use crate::nn::build::{Builder, Linear, root_mean_square};
use crate::tape::{Tape, Tensor};
use crate::units::DType;

/// `Qwen3NextGatedDeltaNet`.
pub(crate) struct GatedDelta {
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
    /// One for each of queries, keys and values, two for rates and one for the gate (`OLMo` Hybrid).
    Each(Box<Each>),
}

/// The layers of `OLMo` Hybrid that read the hidden states.
struct Each {
    heads: [Linear; 3],
    /// The layers that give rates of decay and of writing.
    rates: [Linear; 2],
    gate: Linear,
    /// Whether rates of writing are doubled.
    doubles: bool,
}

/// The results of the projections.
struct Projected<'a> {
    /// Queries, keys and values `[B, S, C]`.
    joined: Tensor,
    /// The tensors that those were joined from.
    parts: Vec<Tensor>,
    beside: Beside<'a>,
    /// Tensors in local variables.
    held: Vec<Tensor>,
}

/// The gate and the rates.
enum Beside<'a> {
    Made {
        /// `[B, S, heads, D]`.
        gate: Tensor,
        /// Rates of writing and of decay, `[B, S, heads]` each.
        rates: [Tensor; 2],
    },
    /// The inputs are made where they are used.
    Later(&'a Each),
}

impl GatedDelta {
    /// From `hidden` columns to as many.
    pub(crate) fn new(
        b: &Builder,
        hidden: u64,
        sizes: &StateSpace,
        heads: ScanHeads,
        form: DeltaRule,
    ) -> Self {
        let of_heads = |name| b.parameter(name, [heads.count]);
        let (keys, values) = (heads.groups * sizes.state_size, heads.width());
        let channels = 2 * keys + values;
        let linear = |name, inputs, outputs| Linear::new(&b.at(name), inputs, outputs, false);
        let conv_of = || CausalConv::new(&b.at("conv1d"), channels, sizes.conv_kernel, false);
        let norm_of = |name| b.at(name).parameter("weight", [heads.columns]);
        let rates = |names: [&'static str; 2]| names.map(|name| linear(name, hidden, heads.count));
        let (a_log, dt_bias, inputs, conv, norm, out_proj);
        if form == DeltaRule::Each {
            (a_log, dt_bias) = (of_heads("A_log"), of_heads("dt_bias"));
            let projections = [("q_proj", keys), ("k_proj", keys), ("v_proj", values)];
            inputs = Inputs::Each(Box::new(Each {
                heads: projections.map(|(name, width)| linear(name, hidden, width)),
                rates: rates(["a_proj", "b_proj"]),
                gate: linear("g_proj", hidden, values),
                doubles: sizes.multiplied,
            }));
            out_proj = linear("o_proj", values, hidden);
            (conv, norm) = (conv_of(), norm_of("o_norm"));
        } else {
            (dt_bias, a_log) = (of_heads("dt_bias"), of_heads("A_log"));
            conv = conv_of();
            let grouped = (form == DeltaRule::Grouped).then(|| {
                let both = linear("in_proj_qkvz", hidden, channels + values);
                Inputs::Grouped([both, linear("in_proj_ba", hidden, 2 * heads.count)])
            });
            (norm, out_proj) = (norm_of("norm"), linear("out_proj", values, hidden));
            inputs = grouped.unwrap_or_else(|| {
                let joined = linear("in_proj_qkv", hidden, channels);
                let gate = linear("in_proj_z", hidden, values);
                let [b, a] = rates(["in_proj_b", "in_proj_a"]);
                Inputs::Apart([joined, gate, b, a])
            });
        }
        Self {
            dt_bias,
            a_log,
            conv,
            inputs,
            norm,
            out_proj,
            key_columns: sizes.state_size,
            heads,
            padding: b.has_padding_mask(),
        }
    }

    /// `[B, S, H]` to the same.
    pub(crate) fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        let (batch, seq) = (x.dim(0), x.dim(1));
        let ScanHeads {
            count,
            columns,
            groups,
            ..
        } = self.heads;
        // apply_mask_to_padding_states; a single token is no padding
        let x = if self.padding && seq > 1 {
            t.mul_scalar(x)
        } else {
            x.clone()
        };
        let keys = self.key_columns;
        let by_head = |y: &Tensor| t.reshape(y, [batch, seq, count, columns]);
        let Projected {
            joined,
            parts,
            beside,
            held,
        } = match &self.inputs {
            Inputs::Grouped(layers) => self.grouped(t, layers, &x),
            Inputs::Apart(layers) => {
                let [joined, gate, b, a] = layers.each_ref().map(|layer| layer.forward(t, &x));
                Projected {
                    joined,
                    parts: Vec::new(),
                    beside: Beside::Made {
                        gate: by_head(&gate),
                        rates: [b, a],
                    },
                    held: Vec::new(),
                }
            }
            Inputs::Each(each) => {
                let [q, k, v] = each.heads.each_ref().map(|layer| layer.forward(t, &x));
                Projected {
                    joined: t.cat(&[&q, &k, &v], -1),
                    parts: Vec::new(),
                    beside: Beside::Later(each),
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
        let [beta, decay] = match &beside {
            Beside::Made { rates: [b, a], .. } => [t.sigmoid(b), self.decay(t, a.clone())],
            Beside::Later(each) => {
                let [a_proj, b_proj] = &each.rates;
                let written = t.sigmoid(&b_proj.forward(t, &x));
                let beta = if each.doubles {
                    t.mul_scalar(&written)
                } else {
                    written.clone()
                };
                drop(written);
                [beta, self.decay(t, a_proj.forward(t, &x))]
            }
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
        let gate = match &beside {
            Beside::Made { gate, .. } => gate.clone(),
            Beside::Later(each) => by_head(&each.gate.forward(t, &x)),
        };
        let normalized = t.scoped("norm", None, || self.normalized(t, out, &gate));
        let out = {
            let flat = t.view(&normalized, [batch, seq, count * columns]);
            self.out_proj.forward(t, &flat)
        };
        drop((x, held, gate, beside, last));
        drop((mixed, query, key, value, beta, decay, normalized));
        out
    }

    /// How much a step keeps, of rates `[B, S, heads]`.
    fn decay(&self, t: &Tape, a: Tensor) -> Tensor {
        let rate = decay_rate(t, &self.a_log);
        let step = {
            let shifted = {
                let wide = t.to(&a, DType::Float32);
                drop(a);
                t.add(&wide, &self.dt_bias)
            };
            t.softplus(&shifted)
        };
        t.mul(&rate, &step)
    }

    /// All projections by way of two layers, whose columns lie in groups of heads that share keys.
    fn grouped(&self, t: &Tape, [both, rates]: &[Linear; 2], x: &Tensor) -> Projected<'_> {
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
            beside: Beside::Made {
                gate,
                rates: [b, a],
            },
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
