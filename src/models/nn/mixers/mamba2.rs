//! The mixer of Mamba 2 (`Mamba2Mixer`, `models/mamba2/modeling_mamba2.py`, transformers 5.23)
//! without kernels of its own.

use super::causal_conv::CausalConv;
use super::chunk_scan::{Scan, scan, step};
use super::decay_rate::decay_rate;
use crate::model::{ScanHeads, StateSpace, Transformers};
use crate::nn::build::{Builder, Facts, Linear};
use crate::tape::{Tape, Tensor};
use crate::units::DType;

/// `Mamba2Mixer`.
pub(crate) struct Mamba2Mixer {
    pub(crate) dt_bias: Tensor,
    pub(crate) a_log: Tensor,
    pub(crate) d: Tensor,
    pub(crate) conv: CausalConv,
    pub(crate) in_proj: Linear,
    /// Nothing where the gate alone is applied.
    pub(crate) norm: Option<GatedNorm>,
    /// Factors `[1, 1, P]` of the columns of the first projection, whose input is multiplied by a number, too.
    multipliers: Option<Tensor>,
    pub(crate) out_proj: Linear,
    pub(crate) inner: u64,
    pub(crate) state_size: u64,
    pub(crate) heads: ScanHeads,
    pub(crate) padding: bool,
    pub(crate) facts: Facts,
}

/// `MambaRMSNormGated`: of as many groups of columns as states have.
pub(crate) struct GatedNorm {
    weight: Tensor,
    groups: u64,
}

/// `A_log` and D, whose places among the parameters are before those of the convolution and of the
/// projection from `hidden` columns, their memory after: `channels` are convolved of those `projected`.
pub(crate) fn before_inputs(
    b: &Builder,
    sizes: &StateSpace,
    heads: ScanHeads,
    [hidden, channels, projected]: [u64; 3],
    bias: bool,
) -> (Tensor, (Tensor, (CausalConv, Linear))) {
    b.parameter_after("A_log", [heads.count], || {
        b.parameter_after("D", [heads.count], || {
            let at = b.at("conv1d");
            let conv = CausalConv::new(&at, channels, sizes.conv_kernel, sizes.conv_bias);
            (conv, Linear::new(&b.at("in_proj"), hidden, projected, bias))
        })
    })
}

impl Mamba2Mixer {
    /// From `hidden` columns to as many; the projections have a `bias`.
    pub(crate) fn new(
        b: &Builder,
        hidden: u64,
        sizes: &StateSpace,
        heads: ScanHeads,
        bias: bool,
    ) -> Self {
        let inner = heads.width();
        let channels = inner + 2 * heads.groups * sizes.state_size;
        let projected = inner + channels + heads.count;
        let normalizes = !sizes.multiplied;
        // transformers 4 normalizes all groups together.
        let older = b.facts().transformers != Transformers::V5;
        // The parameters of heads come before the modules' in order, after two and three of them in
        // memory: which of the three, being alike, is where makes no difference.
        let (dt_bias, (a_log, d, conv, in_proj, norm)) =
            b.parameter_after("dt_bias", [heads.count], || {
                let columns = [hidden, channels, projected];
                let (a_log, (d, (conv, in_proj))) = before_inputs(b, sizes, heads, columns, bias);
                let norm = normalizes.then(|| GatedNorm {
                    weight: b.at("norm").parameter("weight", [inner]),
                    groups: if older { 1 } else { heads.groups },
                });
                (a_log, d, conv, in_proj, norm)
            });
        Self {
            dt_bias,
            a_log,
            d,
            conv,
            in_proj,
            norm,
            multipliers: (!normalizes)
                .then(|| b.buffer("mup_vector", [1, 1, projected], b.loaded_dtype())),
            out_proj: Linear::new(&b.at("out_proj"), inner, hidden, bias),
            inner,
            state_size: sizes.state_size,
            heads,
            padding: b.has_padding_mask(),
            facts: b.facts(),
        }
    }

    /// `apply_mask_to_padding_states`.
    fn masked(&self, t: &Tape, x: Tensor) -> Tensor {
        if self.padding && x.dim(1) > 1 {
            t.mul_scalar(&x)
        } else {
            x
        }
    }

    /// `[B, S, H]` to the same.
    pub(crate) fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        if self.facts.transformers != Transformers::V5 {
            return self.forward_before_5(t, x);
        }
        let dtype = x.dtype();
        let (batch, seq) = (x.dim(0), x.dim(1));
        let ScanHeads {
            count,
            columns,
            groups,
            chunk,
        } = self.heads;
        let of_group = groups * self.state_size;
        let x = self.masked(t, x.clone());
        let (x, projected) = if let Some(multipliers) = &self.multipliers {
            let scaled = t.mul_scalar(&x);
            drop(x);
            let projected = self.in_proj.forward(t, &scaled);
            (scaled, t.mul(&projected, multipliers))
        } else {
            let projected = self.in_proj.forward(t, &x);
            (x, projected)
        };
        let decay = decay_rate(t, &self.a_log);
        let [gate, channels, time_step] = t.split(
            &projected,
            [self.inner, self.inner + 2 * of_group, count],
            -1,
        );
        let mixed = {
            let convolved = self.conv.forward(t, &t.transpose(&channels, 1, 2));
            self.masked(t, t.transpose(&convolved, 1, 2))
        };
        drop((channels, projected));
        let [states, b, c] = t.split(&mixed, [self.inner, of_group, of_group], -1);
        drop(x);
        let scanned = {
            let grouped = |x: &Tensor| t.view(x, [batch, seq, groups, self.state_size]);
            let given = Scan {
                states: t.view(&states, [batch, seq, count, columns]),
                time_step,
                decay: &decay,
                inputs: [grouped(&b), grouped(&c)],
                skip: &self.d,
                bias: &self.dt_bias,
                chunk,
            };
            let kept = |dtype| t.state([batch, count, columns, self.state_size], dtype);
            let known = seq == 1 && t.knows_state();
            if let Some((state, _)) = known.then(|| kept(dtype)).flatten() {
                step(t, given, &state)
            } else {
                let (scanned, last) = scan(t, given);
                if let Some(last) = last {
                    kept(last.dtype());
                }
                scanned
            }
        };
        let scanned = t.reshape(&scanned, [batch, seq, self.inner]);
        let normalized = if let Some(norm) = &self.norm {
            t.scoped("norm", None, || norm.forward(t, &scanned, &gate))
        } else {
            let active = t.silu(&gate);
            t.mul(&scanned, &active)
        };
        drop(scanned);
        let out = {
            let narrow = t.to(&normalized, dtype);
            self.out_proj.forward(t, &narrow)
        };
        drop((states, decay, gate, mixed, b, c, normalized));
        out
    }
}

impl GatedNorm {
    /// `[B, S, I]` to the same.
    pub(crate) fn forward(&self, t: &Tape, x: &Tensor, gate: &Tensor) -> Tensor {
        let (shape, columns) = (*x.shape(), x.dim(2) / self.groups);
        let wide = t.to(x, DType::Float32);
        let gated = {
            let active = t.silu(&t.to(gate, DType::Float32));
            t.mul(&wide, &active)
        };
        drop(wide);
        let grouped = t.view(&gated, [shape.dim(0), shape.dim(1), self.groups, columns]);
        let variance = {
            let square = t.square(&grouped);
            t.mean_last(&square)
        };
        let normalized = {
            let scale = {
                let shifted = t.add_scalar(&variance);
                t.rsqrt(&shifted)
            };
            t.mul(&grouped, &scale)
        };
        drop((gated, grouped));
        let narrow = t.to(&t.view(&normalized, shape), x.dtype());
        t.mul(&self.weight, &narrow)
    }
}
