//! `KimiLinearDeltaAttention` (`models/kimi_linear/modeling_kimi_linear.py`, transformers 5.23) with the kernels of
//! flash-linear-attention, which transformers takes where that is installed.

use crate::model::ScanHeads;
use crate::nn::build::{Builder, Linear, root_mean_square};
use crate::nn::mixers::CausalConv;
use crate::tape::{Tape, Tensor};
use crate::units::DType;

/// `KimiLinearDeltaAttention`: the gated delta rule whose decay each column of a key has for itself.
pub(super) struct KimiDeltaAttention {
    /// `q_proj`, `k_proj` and `v_proj`.
    projections: [Linear; 3],
    conv: CausalConv,
    forget_gate: ForgetGate,
    b_proj: Linear,
    /// `g_a_proj` and `g_b_proj`.
    gate: [Linear; 2],
    o_norm: Tensor,
    o_proj: Linear,
    heads: ScanHeads,
    padding: bool,
}

/// `KimiLinearForgetGate`.
struct ForgetGate {
    dt_bias: Tensor,
    a_log: Tensor,
    /// `f_a_proj` and `f_b_proj`.
    projections: [Linear; 2],
}

impl KimiDeltaAttention {
    /// From `hidden` columns to as many.
    pub(super) fn new(b: &Builder, hidden: u64, heads: ScanHeads, conv_kernel: u64) -> Self {
        let (inner, columns) = (heads.width(), heads.columns);
        let linear = |name, inputs, outputs| Linear::new(&b.at(name), inputs, outputs, false);
        Self {
            projections: ["q_proj", "k_proj", "v_proj"].map(|name| linear(name, hidden, inner)),
            conv: CausalConv::new(&b.at("conv1d"), 3 * inner, conv_kernel, false),
            forget_gate: ForgetGate::new(&b.at("forget_gate"), hidden, heads),
            b_proj: linear("b_proj", hidden, heads.count),
            gate: [
                linear("g_a_proj", hidden, columns),
                linear("g_b_proj", columns, inner),
            ],
            o_norm: b.at("o_norm").parameter("weight", [columns]),
            o_proj: linear("o_proj", inner, hidden),
            heads,
            padding: b.has_padding_mask(),
        }
    }

    /// `[B, S, H]` to the same.
    pub(super) fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        let (batch, seq, inner) = (x.dim(0), x.dim(1), self.heads.width());
        let decodes = seq == 1 && t.knows_state();
        let by_head = |y: &Tensor| t.view(y, [batch, seq, self.heads.count, self.heads.columns]);
        // apply_mask_to_padding_states; a single token is no padding
        let x = if self.padding && seq > 1 {
            t.mul_scalar(x)
        } else {
            x.clone()
        };
        let mixed = {
            let joined = {
                let [q, k, v] = self
                    .projections
                    .each_ref()
                    .map(|layer| layer.forward(t, &x));
                t.cat(&[&q, &k, &v], -1)
            };
            let mut convolved = self.conv.forward(t, &t.transpose(&joined, 1, 2));
            if !decodes {
                // mixed_qkv[:, :, -seq_len:]
                convolved = t.whole_slice(&convolved);
            }
            t.transpose(&convolved, 1, 2)
        };
        let [query, key, value] = t.split(&mixed, [inner; 3], -1).map(|y| by_head(&y));
        let decay = self.forget_gate.forward(t, &x, by_head);
        let beta = t.sigmoid(&self.b_proj.forward(t, &x));
        let given = [&query, &key, &value, &decay, &beta];
        let (out, last) = if decodes {
            t.fused_recurrent_kda(given)
        } else {
            t.chunk_kda(given)
        };
        if let Some(last) = &last {
            t.state(*last.shape(), last.dtype());
        }
        let gate = {
            let [down, up] = &self.gate;
            by_head(&up.forward(t, &down.forward(t, &x)))
        };
        let projected = {
            let normalized = t.scoped("o_norm", None, || self.normalized(t, &out, &gate));
            let flat = t.view(&normalized, [batch, seq, inner]);
            drop(normalized);
            self.o_proj.forward(t, &flat)
        };
        drop((x, mixed, query, key, value, decay, beta, out, last, gate));
        projected
    }

    /// `KimiLinearRMSNormGated` of `[B, S, A, D]`.
    fn normalized(&self, t: &Tape, x: &Tensor, gate: &Tensor) -> Tensor {
        let (normalized, variance) = root_mean_square(t, x);
        let weighted = {
            let wide = t.to(&self.o_norm, DType::Float32);
            t.mul(&wide, &normalized)
        };
        drop(normalized);
        let gated = {
            let open = t.sigmoid(&t.to(gate, DType::Float32));
            t.mul(&weighted, &open)
        };
        drop(weighted);
        let out = t.to(&gated, x.dtype());
        drop((gated, variance));
        out
    }
}

impl ForgetGate {
    fn new(b: &Builder, hidden: u64, heads: ScanHeads) -> Self {
        let (inner, columns) = (heads.width(), heads.columns);
        let linear = |name, inputs, outputs| Linear::new(&b.at(name), inputs, outputs, false);
        let layers = || {
            [
                linear("f_a_proj", hidden, columns),
                linear("f_b_proj", columns, inner),
            ]
        };
        let with_rates = || b.parameter_after("A_log", [1, 1, heads.count, 1], layers);
        let (dt_bias, (a_log, projections)) = b.parameter_after("dt_bias", [inner], with_rates);
        Self {
            dt_bias,
            a_log,
            projections,
        }
    }

    /// `[B, S, H]` to the logarithm of how much a step keeps of each column, `[B, S, A, D]` in float32.
    fn forward(&self, t: &Tape, x: &Tensor, by_head: impl Fn(&Tensor) -> Tensor) -> Tensor {
        t.scoped("forget_gate", None, || {
            let gate = {
                let [down, up] = &self.projections;
                up.forward(t, &down.forward(t, x))
            };
            let shifted = {
                let wide = t.to(&gate, DType::Float32);
                let bias = t.to(&self.dt_bias, DType::Float32);
                let sum = t.add(&wide, &t.view(&bias, [1, 1, bias.numel()]));
                drop((wide, bias));
                by_head(&sum)
            };
            let a_log = t.to(&self.a_log, DType::Float32);
            let rate = t.exp(&a_log);
            // softplus, written out
            let step = {
                let large = t.empty("gt", *shifted.shape(), DType::Bool);
                let power = t.exp(&shifted);
                let sum = t.add_scalar(&power);
                drop(power);
                let log = t.log(&sum);
                drop(sum);
                let step = t.where_either(&large, &shifted, &log);
                drop((large, log));
                step
            };
            let out = t.mul(&t.neg(&rate), &step);
            drop((gate, shifted, a_log, rate, step));
            out
        })
    }
}
