//! Mamba (`models/mamba/modeling_mamba.py`, transformers 5.23) without kernels of its own: the
//! state is carried from token to token by a loop in Python (Note [A loop over tokens]).

use super::causal_conv::CausalConv;
use super::decay_rate::decay_rate;
use super::mamba_scan::scan_tokens;
use crate::model::{InnerNorms, StateSpace, Transformers};
use crate::nn::build::{
    Builder, Call, Facts, Linear, RmsNorm, bare_root_mean_square, root_mean_square,
};
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use std::rc::Rc;

/// `MambaMixer` and `FalconMambaMixer`.
pub(crate) struct Mixer {
    pub(crate) a_log: Tensor,
    pub(crate) d: Tensor,
    pub(crate) conv: CausalConv,
    pub(crate) in_proj: Linear,
    pub(crate) x_proj: Linear,
    pub(crate) dt_proj: Linear,
    pub(crate) out_proj: Linear,
    /// The norms of time steps, B and C.
    norms: InnerNorm,
    pub(crate) inner: u64,
    pub(crate) sizes: StateSpace,
    padding: bool,
    /// Whether it is flash-linear-attention's, with an activation of its own.
    pub(crate) fused: bool,
    pub(crate) facts: Facts,
    call: Rc<Call>,
}

/// How time steps, B and C are normalized.
enum InnerNorm {
    None,
    /// By their root mean square, beside ones.
    Bare {
        _ones: Vec<Tensor>,
    },
    Trained([RmsNorm; 3]),
}

impl Mixer {
    /// From `hidden` columns to as many; the projections have a `bias`.
    pub(crate) fn new(b: &Builder, hidden: u64, sizes: StateSpace, bias: bool) -> Self {
        Self::of_library(b, hidden, sizes, [bias, false])
    }

    /// The same, or flash-linear-attention's: whether the projections have a bias, and whether it is.
    pub(crate) fn of_library(
        b: &Builder,
        hidden: u64,
        sizes: StateSpace,
        [bias, fused]: [bool; 2],
    ) -> Self {
        let facts = b.facts();
        let older = facts.transformers != Transformers::V5;
        let inner = sizes.inner;
        // transformers 4 computes the rates in float32 and keeps them so.
        let rates = if older && !fused && !b.quantization().is_on() {
            DType::Float32
        } else {
            b.dtype()
        };
        let a_log = b.parameter_in("A_log", [inner, sizes.state_size], rates);
        let d = b.parameter("D", [inner]);
        let (kernel, biased) = (sizes.conv_kernel, sizes.conv_bias);
        let conv = CausalConv::new(&b.at("conv1d"), inner, kernel, biased);
        let in_proj = Linear::new(&b.at("in_proj"), hidden, 2 * inner, bias);
        let columns = sizes.time_step_rank + 2 * sizes.state_size;
        let x_proj = Linear::new(&b.at("x_proj"), inner, columns, false);
        let dt_proj = Linear::new(&b.at("dt_proj"), sizes.time_step_rank, inner, true);
        let out_proj = Linear::new(&b.at("out_proj"), inner, hidden, bias);
        let names = || ["dt_layernorm", "b_layernorm", "c_layernorm"].map(|name| b.at(name));
        let states = sizes.state_size;
        let norms = match sizes.inner_norms {
            InnerNorms::None => InnerNorm::None,
            InnerNorms::Bare => {
                let ones = |b: &Builder, n: u64| b.buffer("weight", [n], b.loaded_dtype());
                let own: &[(Builder, u64)] = if older {
                    &[(b.at("b_c_rms"), states), (b.at("dt_rms"), inner)]
                } else {
                    let [dt, b, c] = names();
                    &[(dt, inner), (b, states), (c, states)]
                };
                InnerNorm::Bare {
                    _ones: own.iter().map(|(at, n)| ones(at, *n)).collect(),
                }
            }
            InnerNorms::Trained => {
                let [dt, b, c] = names();
                let of_states = |b| RmsNorm::new(b, states);
                let first = RmsNorm::new(&dt, sizes.time_step_rank);
                InnerNorm::Trained([first, of_states(&b), of_states(&c)])
            }
        };
        Self {
            norms,
            a_log,
            d,
            conv,
            in_proj,
            x_proj,
            dt_proj,
            out_proj,
            inner,
            sizes,
            padding: b.has_padding_mask(),
            fused,
            facts,
            call: b.call(),
        }
    }

    /// `apply_mask_to_padding_states`, of which Jamba looks for padding first; a token that comes after
    /// others is none.
    pub(crate) fn masked(&self, t: &Tape, x: Tensor) -> Tensor {
        if self.masks() && x.dim(1) > 1 {
            t.mul_scalar(&x)
        } else {
            x
        }
    }

    /// Whether padding is zeroed.
    fn masks(&self) -> bool {
        let given = self.sizes.inner_norms != InnerNorms::Trained && self.call.has_mask();
        self.padding || given
    }

    /// Time steps, B and C after their norms.
    pub(crate) fn normalized(&self, t: &Tape, parts: [Tensor; 3]) -> [Tensor; 3] {
        match &self.norms {
            InnerNorm::None => parts,
            InnerNorm::Bare { .. } if self.facts.transformers == Transformers::V5 => {
                parts.map(|part| bare(t, &part))
            }
            InnerNorm::Bare { .. } => {
                let [low_rank, b, c] = parts;
                let [b, c, low_rank] = [b, c, low_rank].map(|part| {
                    let (normalized, _variance) = root_mean_square(t, &part);
                    t.to(&normalized, part.dtype())
                });
                [low_rank, b, c]
            }
            InnerNorm::Trained(norms) => {
                let [dt, b, c] = norms;
                let [low_rank, of_b, of_c] = parts;
                let low_rank = dt.forward(t, &low_rank);
                let of_b = b.forward(t, &of_b);
                [low_rank, of_b, c.forward(t, &of_c)]
            }
        }
    }

    /// `[B, S, H]` to the same.
    pub(crate) fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        if self.facts.transformers != Transformers::V5 {
            return self.forward_before_5(t, x, self.masks());
        }
        let dtype = x.dtype();
        let inner = self.inner;
        let x = self.masked(t, x.clone());
        let projected = t.transpose(&self.in_proj.forward(t, &x), 1, 2);
        let decay = decay_rate(t, &self.a_log);
        let wide_bias = || (self.dt_proj.bias()).map(|bias| t.to(&bias, DType::Float32));
        if self.sizes.inner_norms != InnerNorms::Trained {
            // Arguments of a kernel that is not there.
            drop((t.to(&self.d, DType::Float32), wide_bias()));
        }
        let [states, gate] = t.split(&projected, [inner; 2], 1);
        let states = {
            let convolved = self.conv.forward(t, &states);
            self.masked(t, t.transpose(&convolved, 1, 2))
        };
        let rank = self.sizes.time_step_rank;
        let columns = self.sizes.state_size;
        let [low_rank, b, c] = {
            let all = self.x_proj.forward(t, &states);
            self.normalized(t, t.split(&all, [rank, columns, columns], -1))
        };
        let time_step = self.time_step(t, low_rank);
        let bias = wide_bias();
        let channels = t.transpose(&states, 1, 2);
        let kept = (t.knows_state() && x.dim(1) == 1).then(|| self.kept(t, &x));
        let scanned = if let Some((state, true)) = kept.flatten() {
            let given = [&channels, &time_step, &decay, &b, &c, &self.d, &gate];
            state_update(t, &state, given, bias.as_ref())
        } else {
            let scanned = {
                let wide_d = t.to(&self.d, DType::Float32);
                let given = [&channels, &time_step, &decay, &b, &c, &wide_d, &gate];
                self.scan(t, given, bias.as_ref())
            };
            self.kept(t, &x);
            scanned
        };
        let out = {
            let narrow = t.to(&t.transpose(&scanned, 1, 2), dtype);
            self.out_proj.forward(t, &narrow)
        };
        drop((projected, time_step, b, c, bias, scanned));
        out
    }

    /// The layer's state `[B, I, N]` for input `[B, S, H]`, where there is a cache, and whether an earlier
    /// pass has left it.
    fn kept(&self, t: &Tape, x: &Tensor) -> Option<(Tensor, bool)> {
        t.state(
            [x.dim(0), self.inner, self.sizes.state_size],
            DType::Float32,
        )
    }

    /// Time steps of low rank `[B, S, R]` to those of all channels `[B, I, S]`, without the bias: the
    /// weight is read past any adapter, a quantized layer is called and its bias taken off again.
    fn time_step(&self, t: &Tape, low_rank: Tensor) -> Tensor {
        if let Some(weight) = self.dt_proj.weight() {
            let columns = t.transpose(&low_rank, 1, 2);
            drop(low_rank);
            return t.matmul_from_left(weight, &columns);
        }
        let steps = self.dt_proj.forward(t, &low_rank);
        let bias = self.dt_proj.bias();
        t.transpose(
            &bias.map_or_else(|| steps.clone(), |bias| t.sub(&steps, &bias)),
            1,
            2,
        )
    }

    /// `mamba_selective_scan`: states and time steps `[B, I, S]`, B and
    /// C `[B, S, N]`.
    fn scan(
        &self,
        t: &Tape,
        [states, time_step, decay, b, c, d, gate]: [&Tensor; 7],
        bias: Option<&Tensor>,
    ) -> Tensor {
        let dtype = states.dtype();
        let (batch, inner, seq) = (states.dim(0), states.dim(1), states.dim(2));
        let columns = self.sizes.state_size;
        let dt = {
            let shifted = bias.map(|bias| {
                let bias = t.to(bias, time_step.dtype());
                t.add(time_step, &t.unsqueeze(&bias, 1))
            });
            t.softplus(shifted.as_ref().unwrap_or(time_step))
        };
        let last = |x: &Tensor| t.unsqueeze(x, 3);
        let discrete_a = {
            let product = t.mul(&t.view(decay, [1, inner, 1, columns]), &last(&dt));
            t.exp(&product)
        };
        let discrete_b = {
            let wide = t.to(&t.unsqueeze(b, 1), DType::Float32);
            t.mul(&last(&dt), &wide)
        };
        let delta = {
            let wide = t.to(&last(states), DType::Float32);
            t.mul(&discrete_b, &wide)
        };
        let state = t.empty("zeros", Shape::from([batch, inner, columns]), dtype);
        let scanned = scan_tokens(t, self.facts, state, [&discrete_a, &delta, c], dtype);
        let stacked = scanned.stacked(t, seq);
        let skipped = {
            let product = t.mul(states, &t.view(d, [1, inner, 1]));
            t.add(&stacked, &product)
        };
        drop(stacked);
        let active = t.silu(gate);
        let out = t.mul(&skipped, &active);
        drop((delta, scanned));
        out
    }
}

/// `mamba_selective_state_update`: a single token's states, time steps and gate `[B, I, 1]`, B and C `[B, 1, N]` and
/// the cached state `[B, I, N]` to `[B, I, 1]`.
fn state_update(
    t: &Tape,
    kept: &Tensor,
    [states, time_step, decay, b, c, d, gate]: [&Tensor; 7],
    bias: Option<&Tensor>,
) -> Tensor {
    let wide = |x: &Tensor| t.to(x, DType::Float32);
    let [states, time_step, gate] = [states, time_step, gate].map(|x| t.select(x, 2));
    let [b, c] = [b, c].map(|x| t.select(x, 1));
    let dt = {
        let shifted = bias.map(|bias| t.add(&time_step, &t.to(bias, time_step.dtype())));
        t.softplus(shifted.as_ref().unwrap_or(&time_step))
    };
    let decayed = {
        let product = t.mul(&t.unsqueeze(&wide(&dt), 2), decay);
        t.exp(&product)
    };
    let of_inputs = t.mul(&t.unsqueeze(&wide(&dt), 2), &t.unsqueeze(&wide(&b), 1));
    let added = t.mul(&of_inputs, &t.unsqueeze(&wide(&states), 2));
    let next = {
        let rest = t.mul(kept, &decayed);
        t.add(&rest, &added)
    };
    let read = {
        let product = {
            let narrow = t.to(&next, c.dtype());
            t.matmul(&narrow, &t.unsqueeze(&c, 2))
        };
        t.select(&product, 2)
    };
    let skipped = {
        let product = t.mul(&states, d);
        t.add(&read, &product)
    };
    drop(read);
    let out = {
        let active = t.silu(&gate);
        t.mul(&skipped, &active)
    };
    drop((skipped, dt, decayed, of_inputs, added, next));
    t.unsqueeze(&t.to(&out, states.dtype()), 2)
}

/// `FalconMambaWeightlessRMSNorm`.
fn bare(t: &Tape, x: &Tensor) -> Tensor {
    let normalized = bare_root_mean_square(t, x);
    t.to(&normalized, x.dtype())
}
