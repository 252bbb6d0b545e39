//! `HGRN2Attention` (`fla/layers/hgrn2.py`), and the bounds of its forget gates.

use super::block::{Mixer, Tokens, heads, merged};
use super::conv::{ShortConv, convolutions, projected};
use crate::model::FlaConfig;
use crate::nn::build::{Builder, Linear};
use crate::tape::{Tape, Tensor};
use crate::units::DType;

pub(crate) struct Hgrn2 {
    projections: [Linear; 3],
    convolutions: Option<[ShortConv; 3]>,
    /// The norm's weight, if it has one.
    g_norm: Option<Tensor>,
    o_proj: Linear,
    columns: u64,
    /// Whether the forget gate's bound counts; that of the first layer is zero.
    bounded: bool,
}

impl Hgrn2 {
    pub(crate) fn new(b: &Builder, c: &FlaConfig, layer: u64) -> Self {
        let hidden = c.hidden_size;
        let linear = |name| Linear::new(&b.at(name), hidden, hidden, false);
        let projections = ["q_proj", "f_proj", "i_proj"].map(linear);
        let names = ["q_conv1d", "f_conv1d", "i_conv1d"];
        let convolutions = convolutions(b, names, [hidden; 3], c.short_conv, false);
        let g_norm = c
            .affine
            .then(|| b.at("g_norm").parameter("weight", [hidden]));
        Self {
            projections,
            convolutions,
            g_norm,
            o_proj: linear("o_proj"),
            columns: c.head_k_dim,
            bounded: layer > 0,
        }
    }
}

impl Mixer for Hgrn2 {
    fn forward(&self, t: &Tape, x: &Tensor, tokens: Tokens) -> Tensor {
        let [q, f, i] = [0, 1, 2].map(|i| {
            let conv = self.convolutions.as_ref().map(|all| &all[i]);
            projected(t, &self.projections[i], conv, x, tokens.sequences)
        });
        let q = {
            let swished = t.fused_swish(&q);
            drop(q);
            swished
        };
        let mut g = t.logsigmoid(&f);
        if let Some(bound) = tokens.lower_bound.filter(|_| self.bounded) {
            g = bounded(t, bound, &g);
        }
        let k = {
            let rest = {
                let kept = t.exp(&g);
                t.rsub_scalar(&kept)
            };
            t.to(&rest, i.dtype())
        };
        let [q, k, g] = [&q, &k, &g].map(|x| heads(t, x, self.columns));
        let v = heads(t, &i, self.columns);
        drop(i);
        let o = if tokens.one_by_one() {
            t.fused_recurrent([&q, &k, &v, &g], tokens.sequences)
        } else {
            t.chunk_gla(&q, &k, &v, &g, tokens.sequences)
        };
        t.update_layer_state(tokens.length);
        let flat = merged(t, &o);
        drop(o);
        // The fused function reads the weight, and no adapter.
        match self.o_proj.weight() {
            Some(weight) => t.fused_rms_norm_linear(&flat, self.g_norm.as_ref(), weight),
            None => flat,
        }
    }
}

/// Logs of forget gates `[B, T, H]` that are not below a bound `[H]`.
pub(crate) fn bounded(t: &Tape, bound: &Tensor, g: &Tensor) -> Tensor {
    let log = t.log(bound);
    let sum = {
        let rest = {
            let negative = t.neg(bound);
            t.log1p(&negative)
        };
        t.add(&rest, g)
    };
    let bounded = t.logaddexp(&log, &sum);
    drop((log, sum));
    bounded
}

/// Bounds of all layers' forget gates `[L, H]`, from their parameter: they rise from layer to layer.
pub(crate) fn lower_bounds(t: &Tape, parameter: &Tensor) -> Tensor {
    let shares = t.softmax(parameter, Some(DType::Float32));
    let sums = t.running_sum(&shares);
    t.sub(&sums, &t.select(&shares, 0))
}
