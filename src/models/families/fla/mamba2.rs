//! `Mamba2` (`fla/layers/mamba2.py`) without kernels of its own, and its layers
//! (`fla/models/mamba2/modeling_mamba2.py`).

use super::block::FlaShared;
use super::norm::FlaNorm;
use crate::model::{FlaConfig, FlaStateSpace, ScanHeads};
use crate::nn::build::{Builder, Facts, Linear};
use crate::nn::mixers::{CausalConv, Mixer, Rates, Scanned, before_inputs, scan};
use crate::tape::{FlaVersion, Tape, Tensor};
use crate::units::DType;

/// `Mamba2Block`.
pub(crate) struct Mamba2Block {
    norm: FlaNorm,
    mixer: Mixers,
    wide_residual: bool,
    dtype: DType,
}

impl Mamba2Block {
    pub(crate) fn new(b: &Builder, c: &FlaConfig, own: &FlaStateSpace) -> Self {
        Self {
            norm: FlaNorm::new(&b.at("norm"), c.hidden_size, true, true),
            mixer: Mixers::new(&b.at("mixer"), c.hidden_size, own),
            wide_residual: own.sizes.wide_residual,
            dtype: b.dtype(),
        }
    }

    /// `[B, S, H]` to the same.
    pub(crate) fn forward(&self, t: &Tape, hidden: &Tensor, shared: &FlaShared) -> Tensor {
        let x = t.scoped("norm", None, || self.norm.forward(t, hidden));
        let residual = if self.wide_residual {
            t.to(hidden, DType::Float32)
        } else {
            hidden.clone()
        };
        let mask = shared.mask.as_ref();
        let mixed = t.scoped("mixer", None, || self.mixer.forward(t, &x, mask));
        drop(x);
        let sum = t.add(&residual, &mixed);
        drop(mixed);
        if self.wide_residual {
            t.to(&sum, self.dtype)
        } else {
            sum
        }
    }
}

/// `Mamba` or `Mamba2`.
enum Mixers {
    One(Box<Mixer>),
    Two(Box<Mamba2>),
}

impl Mixers {
    fn new(b: &Builder, hidden: u64, own: &FlaStateSpace) -> Self {
        match own.sizes.heads {
            Some(heads) => Self::Two(Box::new(Mamba2::new(b, hidden, own, heads))),
            None => Self::One(Box::new(Mixer::of_library(
                b,
                hidden,
                own.sizes,
                [own.bias, true],
            ))),
        }
    }

    /// `[B, S, H]` to the same.
    fn forward(&self, t: &Tape, x: &Tensor, mask: Option<&Tensor>) -> Tensor {
        match self {
            Self::One(mixer) => mixer.forward_before_5(t, x, mask.is_some()),
            Self::Two(mixer) => mixer.forward(t, x, mask),
        }
    }
}

/// `Mamba2`.
struct Mamba2 {
    conv: CausalConv,
    in_proj: Linear,
    rates: Rates,
    norm: Tensor,
    out_proj: Linear,
    heads: ScanHeads,
    state_size: u64,
    facts: Facts,
}

impl Mamba2 {
    fn new(b: &Builder, hidden: u64, own: &FlaStateSpace, heads: ScanHeads) -> Self {
        let FlaStateSpace { sizes, bias } = *own;
        let inner = heads.width();
        let channels = inner + 2 * heads.groups * sizes.state_size;
        let projected = inner + channels + heads.count;
        // The parameters of heads come before the modules' in order, after two of them in memory.
        let (dt_bias, (a_log, (skip, (conv, in_proj)))) =
            b.parameter_after("dt_bias", [heads.count], || {
                before_inputs(b, &sizes, heads, [hidden, channels, projected], bias)
            });
        Self {
            conv,
            in_proj,
            rates: Rates {
                a_log,
                dt_bias,
                skip,
            },
            norm: b.at("norm").parameter("weight", [inner]),
            out_proj: Linear::new(&b.at("out_proj"), inner, hidden, bias),
            heads,
            state_size: sizes.state_size,
            facts: b.facts(),
        }
    }

    /// `[B, S, H]` to the same.
    fn forward(&self, t: &Tape, x: &Tensor, mask: Option<&Tensor>) -> Tensor {
        let dtype = x.dtype();
        let recent = t.backend().fla == FlaVersion::V060;
        // Before 0.6.0 a single sample, or token, is taken to have no padding.
        let masks = mask.is_some_and(|mask| recent || (mask.dim(0) > 1 && mask.dim(1) > 1));
        let masked = |x: Tensor| if masks { t.mul_scalar(&x) } else { x };
        let given = masked(x.clone());
        let x = if recent {
            given.clone()
        } else {
            masked(given.clone())
        };
        let projected = self.in_proj.forward(t, &x);
        let ScanHeads { count, groups, .. } = self.heads;
        let (inner, of_groups) = (self.heads.width(), groups * self.state_size);
        let [gate, channels, time_step] =
            t.split(&projected, [inner, inner + 2 * of_groups, count], -1);
        let mixed = {
            let channels = if recent { masked(channels) } else { channels };
            masked(self.conv.mixed(t, channels, Tape::fused_swish))
        };
        let inputs = Scanned::of(t, &mixed, time_step, [inner, of_groups]);
        let (scanned, [before, after]) = scan(t, self.facts, self.heads, &self.rates, inputs);
        let normalized = t.scoped("norm", None, || {
            t.fused_grouped_rms_norm_gated(&scanned, &gate, &self.norm, groups)
        });
        let out = {
            let narrow = t.to(&normalized, dtype);
            self.out_proj.forward(t, &narrow)
        };
        drop((
            given, x, projected, gate, mixed, before, scanned, normalized, after,
        ));
        out
    }
}
