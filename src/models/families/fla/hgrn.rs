//! `HGRNAttention` (`fla/layers/hgrn.py`).

use super::block::{Mixer, Tokens};
use super::hgrn2::bounded;
use super::norm::FlaNorm;
use crate::model::FlaConfig;
use crate::nn::build::{Builder, Linear};
use crate::tape::{FlaVersion, Tape, Tensor};

pub(crate) struct Hgrn {
    i_proj: Linear,
    f_proj: Linear,
    g_proj: Linear,
    g_norm: FlaNorm,
    o_proj: Linear,
    /// Whether the forget gate's bound counts; that of the first layer is zero.
    bounded: bool,
    /// Whether tokens go one by one where the library does not choose.
    one_by_one: bool,
}

impl Hgrn {
    pub(crate) fn new(b: &Builder, c: &FlaConfig, layer: u64) -> Self {
        let hidden = c.hidden_size;
        let linear = |name| Linear::new(&b.at(name), hidden, hidden, false);
        Self {
            i_proj: linear("i_proj"),
            f_proj: linear("f_proj"),
            g_proj: linear("g_proj"),
            g_norm: FlaNorm::new(&b.at("g_norm"), hidden, true, c.affine),
            o_proj: linear("o_proj"),
            bounded: layer > 0,
            one_by_one: c.one_by_one,
        }
    }

    /// Whether tokens go one by one: since 0.6.0 never where gradients are asked for.
    fn goes_one_by_one(&self, t: &Tape, tokens: Tokens) -> bool {
        if t.backend().fla == FlaVersion::V060 && t.is_grad_enabled() {
            return false;
        }
        self.one_by_one || (!t.is_training() && tokens.one_by_one())
    }
}

impl Mixer for Hgrn {
    fn forward(&self, t: &Tape, x: &Tensor, tokens: Tokens) -> Tensor {
        let mut i = self.i_proj.forward(t, x);
        let mut f = {
            let f = self.f_proj.forward(t, x);
            t.logsigmoid(&f)
        };
        if let Some(bound) = tokens.lower_bound.filter(|_| self.bounded) {
            let wide = bounded(t, bound, &f);
            f = t.to(&wide, f.dtype());
        }
        i = {
            let rest = {
                let kept = t.exp(&f);
                t.rsub_scalar(&kept)
            };
            t.fused_swiglu(&i, &rest)
        };
        if tokens.mask.is_some() {
            i = match t.backend().fla {
                FlaVersion::V060 => t.mul_scalar(&i),
                FlaVersion::V022 => t.scale_in_place(i),
            };
        }
        let o = t.hgrn(&i, &f, self.goes_one_by_one(t, tokens));
        t.update_layer_state(tokens.length);
        let o = {
            let gate = self.g_proj.forward(t, x);
            let gated = self.g_norm.gated(t, &o, &gate);
            drop(o);
            gated
        };
        let out = self.o_proj.forward(t, &o);
        drop((i, f, o));
        out
    }

    fn unpads_itself(&self) -> bool {
        true
    }
}
